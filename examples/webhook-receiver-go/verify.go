package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

var seconds = regexp.MustCompile(`^[0-9]{1,12}$`)

// Verify says whether a request is from the notifier. The body is as received, byte for byte.
func Verify(header func(name string) string, body []byte, secrets []string, now time.Time) bool {
	id, timestamp, signatures := header("webhook-id"), header("webhook-timestamp"), header("webhook-signature")
	if id == "" || signatures == "" || !seconds.MatchString(timestamp) {
		return false
	}
	signedAt, err := strconv.ParseInt(timestamp, 10, 64)
	age := now.Unix() - signedAt
	if err != nil || age > toleranceSeconds || age < -toleranceSeconds {
		return false
	}
	isGenuine := false
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
		if err != nil {
			continue
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + timestamp + "."))
		mac.Write(body)
		expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
		for _, given := range strings.Split(signatures, " ") {
			if hmac.Equal([]byte(expected), []byte(given)) {
				isGenuine = true
			}
		}
	}
	return isGenuine
}

// Position of an event among those of its record: by epoch, then by sequence.
type Position struct {
	// Epoch is empty in events that precede all epochs. Epochs compare as texts.
	Epoch    string `json:"epoch"`
	Sequence int64  `json:"sequence"`
}

// IsNewer says whether an event comes after the last one that was applied to its record, nil at first.
func IsNewer(event Position, known *Position) bool {
	if known == nil || event.Epoch > known.Epoch {
		return true
	}
	return event.Epoch == known.Epoch && event.Sequence > known.Sequence
}
