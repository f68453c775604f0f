"""Reads events, one a line, into the generated models, and writes them again.

The last line is the sum of the hours that were approved.
"""

import sys

from events import TimesheetApprovedEvent, WorkforceEvent


def approved_hours(event: WorkforceEvent) -> float:
    match event.root:
        case TimesheetApprovedEvent(data=data):
            return data.current.hours_to_pay
        case _:
            return 0


def main() -> None:
    approved = 0.0
    for line in sys.stdin:
        event = WorkforceEvent.model_validate_json(line)
        approved += approved_hours(event)
        print(event.model_dump_json(by_alias=True, exclude_unset=True))
    print(approved)


if __name__ == "__main__":
    main()
