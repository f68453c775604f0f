package main

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"sync"
)

// Event has the members that order and repeats need. Its Text is the whole event as received.
type Event struct {
	ID      string `json:"id"`
	Source  string `json:"source"`
	Type    string `json:"type"`
	Subject string `json:"subject"`
	Position
	Text []byte `json:"-"`
}

// Inbox holds every event once, and the last event of every record. A file with one event per line keeps them.
type Inbox struct {
	mutex   sync.Mutex
	file    *os.File
	taken   map[string]bool
	records map[string]Event
}

// OpenInbox reads the file, if there is one. An empty name keeps everything in memory.
func OpenInbox(name string) (*Inbox, error) {
	inbox := &Inbox{taken: map[string]bool{}, records: map[string]Event{}}
	if name == "" {
		return inbox, nil
	}
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1024*1024)
	for lines.Scan() {
		var event Event
		// The last line may be half written: its sender got no answer, and sends it again.
		if json.Unmarshal(lines.Bytes(), &event) == nil {
			inbox.apply(event)
		}
	}
	// Ends a half written line.
	if _, err := file.WriteString("\n"); err != nil {
		return nil, err
	}
	inbox.file = file
	return inbox, lines.Err()
}

// Take stores an event and returns whether it is new. Once it returns without an error, answer 2xx.
func (inbox *Inbox) Take(event Event) (bool, error) {
	inbox.mutex.Lock()
	defer inbox.mutex.Unlock()
	if inbox.taken[event.ID] {
		return false, nil
	}
	if inbox.file != nil {
		line, err := compact(event.Text)
		if err != nil {
			return false, err
		}
		if _, err := inbox.file.Write(line); err != nil {
			return false, err
		}
		if err := inbox.file.Sync(); err != nil {
			return false, err
		}
	}
	inbox.apply(event)
	return true, nil
}

func (inbox *Inbox) apply(event Event) {
	inbox.taken[event.ID] = true
	if !strings.HasPrefix(event.Type, "workforce.timesheet.") && !strings.HasPrefix(event.Type, "workforce.pay_period.") {
		return
	}
	record := event.Source + "/" + event.Subject
	known, exists := inbox.records[record]
	// Every event has the whole record in data.current, but "details" only when they changed.
	if !exists || IsNewer(event.Position, &known.Position) {
		inbox.records[record] = event
	}
}

// States is the last applied sequence by record id, for tests with "test --probe".
func (inbox *Inbox) States() map[string]int64 {
	inbox.mutex.Lock()
	defer inbox.mutex.Unlock()
	states := map[string]int64{}
	for _, event := range inbox.records {
		states[event.Subject] = event.Sequence
	}
	return states
}
