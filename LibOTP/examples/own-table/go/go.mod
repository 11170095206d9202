module example.com/own-table

go 1.19

require (
	example.com/otp v0.0.0
	github.com/lib/pq v1.10.7
	github.com/mattn/go-sqlite3 v1.14.16
)

replace example.com/otp => ../../../bindings/go
