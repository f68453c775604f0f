// Receives webhooks with the standard library of Go: verify, store, answer, then work.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"
)

const maxBodyBytes = 256 * 1024

type receiver struct {
	secrets []string
	inbox   *Inbox
}

// receive answers 2xx when the event is stored; anything else makes the sender retry.
func (receiver receiver) receive(answer http.ResponseWriter, request *http.Request) {
	if request.Method != http.MethodPost {
		answer.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	// The raw bytes are what is signed: JSON that was parsed and written again has another signature.
	body, err := io.ReadAll(http.MaxBytesReader(answer, request.Body, maxBodyBytes))
	if err != nil {
		answer.WriteHeader(http.StatusRequestEntityTooLarge)
		return
	}
	if !Verify(request.Header.Get, body, receiver.secrets, time.Now()) {
		answer.WriteHeader(http.StatusUnauthorized)
		return
	}
	event := Event{Text: body}
	if json.Unmarshal(body, &event) != nil || event.ID == "" {
		answer.WriteHeader(http.StatusBadRequest)
		return
	}
	// Somebody tests the delivery; nothing happened.
	if strings.HasPrefix(event.ID, "example-") {
		answer.WriteHeader(http.StatusNoContent)
		return
	}
	isNew, err := receiver.inbox.Take(event)
	if err != nil {
		answer.WriteHeader(http.StatusInternalServerError)
		return
	}
	answer.WriteHeader(http.StatusNoContent)
	if isNew {
		go work(event)
	}
}

// states is for tests on this machine. Leave it out in production.
func (receiver receiver) states(answer http.ResponseWriter, _ *http.Request) {
	_ = json.NewEncoder(answer).Encode(receiver.inbox.States())
}

// work is called with each new event; the inbox holds it.
func work(event Event) {
	fmt.Println(event.Type, event.Subject, event.Sequence)
}

func compact(text []byte) ([]byte, error) {
	var line bytes.Buffer
	err := json.Compact(&line, text)
	line.WriteByte('\n')
	return line.Bytes(), err
}

func readSecrets() ([]string, error) {
	secrets := []string{}
	for _, name := range []string{"WEBHOOK_SECRET", "WEBHOOK_PREVIOUS_SECRET"} {
		if secret := os.Getenv(name); secret != "" {
			secrets = append(secrets, secret)
		}
	}
	if os.Getenv("WEBHOOK_SECRET") == "" {
		return nil, errors.New("set WEBHOOK_SECRET to the signing secret of the webhook, whsec_...")
	}
	return secrets, nil
}

func run() error {
	secrets, err := readSecrets()
	if err != nil {
		return err
	}
	inbox, err := OpenInbox(os.Getenv("INBOX"))
	if err != nil {
		return err
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		return err
	}
	receiver := receiver{secrets: secrets, inbox: inbox}
	routes := http.NewServeMux()
	routes.HandleFunc("/hook", receiver.receive)
	routes.HandleFunc("/states", receiver.states)
	fmt.Printf("listening on http://%s/hook\n", listener.Addr())
	server := http.Server{Handler: routes, ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
