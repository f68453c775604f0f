# Writes events.py: sh generate.sh datamodel-codegen workforce-event.json
"$1" --input "$2" --input-file-type jsonschema --output events.py \
  --output-model-type pydantic_v2.BaseModel --target-python-version 3.11 \
  --use-title-as-name --use-annotated --snake-case-field --formatters builtin --disable-timestamp
