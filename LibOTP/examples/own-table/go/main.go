// Own-table keeps users' second factors in a column of a table: see factors.go and ../README.md.
//
//	own-table DATABASE KEYRING WORKERS < requests
package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"example.com/otp"
	_ "github.com/lib/pq"
	_ "github.com/mattn/go-sqlite3"
)

func main() {
	driver, source := "sqlite3", os.Args[1]+"?_busy_timeout=60000&_synchronous=EXTRA"
	if strings.Contains(os.Args[1], "host=") {
		driver, source = "postgres", os.Args[1]+" sslmode=disable"
	}
	database, err := sql.Open(driver, source)
	check(err)
	keyring, err := otp.OpenKeyring(os.Args[2])
	check(err)
	workers, err := strconv.Atoi(os.Args[3])
	check(err)
	database.SetMaxOpenConns(workers)
	requests := make(chan string)
	var group sync.WaitGroup
	for i := 0; i < workers; i++ {
		group.Add(1)
		go func() {
			defer group.Done()
			for request := range requests {
				fmt.Println(serve(factors{database, keyring}, request))
			}
		}()
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26) // Without it, a line over 64 KiB would end the program.
	for lines.Scan() {
		requests <- lines.Text()
	}
	close(requests)
	group.Wait()
}

// serve answers a request: its number, `enroll`, `confirm` or `sign-in`, the user, and the code.
func serve(f factors, line string) string {
	request := append(strings.Fields(line), make([]string, 4)...) // A missing word is empty.
	offset, _ := time.ParseDuration(os.Getenv("CLOCK_OFFSET"))
	now, answer := time.Now().Add(offset), otp.Answer{}
	text, err := "", error(nil)
	switch request[1] {
	case "enroll":
		text, err = f.enroll(request[2], now)
	case "confirm":
		answer, err = f.confirm(request[2], request[3], now)
	case "sign-in":
		answer, err = f.signIn(request[2], request[3], now)
	default:
		err = fmt.Errorf("usage")
	}
	if err != nil {
		return request[0] + " error " + err.Error()
	} else if request[1] != "enroll" {
		text = answer.Kind.String()
	}
	return request[0] + " " + text
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
