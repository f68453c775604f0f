package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type vectors struct {
	Requests []struct {
		Name     string
		Secrets  []string
		Now      int64
		Headers  map[string]string
		Body     string
		Accepted bool
	}
	Order []struct {
		Name  string
		Event Position
		Known *Position
		Newer bool
	}
}

func readVectors(t *testing.T) vectors {
	text, err := os.ReadFile(filepath.Join("..", "webhook-vectors.json"))
	if err != nil {
		t.Fatal(err)
	}
	var read vectors
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if len(read.Requests) <= 15 || len(read.Order) <= 5 {
		t.Fatal("too few vectors")
	}
	return read
}

func TestRequests(t *testing.T) {
	for _, vector := range readVectors(t).Requests {
		header := func(name string) string { return vector.Headers[name] }
		accepted := Verify(header, []byte(vector.Body), vector.Secrets, time.Unix(vector.Now, 0))
		if accepted != vector.Accepted {
			t.Errorf("%s: accepted is %v", vector.Name, accepted)
		}
	}
}

func TestOrder(t *testing.T) {
	for _, vector := range readVectors(t).Order {
		if IsNewer(vector.Event, vector.Known) != vector.Newer {
			t.Errorf("%s: newer is not %v", vector.Name, vector.Newer)
		}
	}
}

func TestInboxKeepsWhatItTook(t *testing.T) {
	name := filepath.Join(t.TempDir(), "inbox")
	text := `{"id":"b","type":"workforce.timesheet.changed","source":"/s","subject":"r","epoch":"2026","sequence":2}`
	event := Event{Text: []byte(text)}
	if err := json.Unmarshal(event.Text, &event); err != nil {
		t.Fatal(err)
	}
	for _, expected := range []bool{true, false} {
		inbox, err := OpenInbox(name)
		if err != nil {
			t.Fatal(err)
		}
		isNew, err := inbox.Take(event)
		if err != nil || isNew != expected || inbox.States()["r"] != 2 {
			t.Errorf("new is %v, error %v, states %v", isNew, err, inbox.States())
		}
	}
	stored, err := os.ReadFile(name)
	if err != nil || strings.Count(string(stored), `"id":"b"`) != 1 {
		t.Errorf("stored %q, error %v", stored, err)
	}
}
