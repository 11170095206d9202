// The adapters' protocol (../README.md), for adapters in Go: converts words to values, and a panic to an answer.
package main

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
)

type words []string

func (w words) unsigned(place int) uint64 {
	value, _ := strconv.ParseUint(w[place], 10, 64)
	return value
}

func (w words) signed(place int) int64 {
	value, _ := strconv.ParseInt(w[place], 10, 64)
	return value
}

func (w words) text(place int) string {
	data, _ := hex.DecodeString(w[place][1:])
	return string(data)
}

func said(value string, err error) string {
	if err != nil {
		return "refused"
	}
	return "ok " + value
}

func verdict(accepted bool, _ error) string {
	return map[bool]string{true: "ok accepted", false: "ok rejected"}[accepted]
}

// A name, or - for none.
func optional(text string) string {
	if text == "" {
		return "-"
	}
	return "x" + hex.EncodeToString([]byte(text))
}

func guarded(w words, answer func(words) string) (reply string) {
	defer func() {
		if recover() != nil {
			reply = "crashed panic"
		}
	}()
	return answer(w)
}

func serve(answer func(words) string) {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		fmt.Println(guarded(strings.Fields(lines.Text()), answer))
	}
}
