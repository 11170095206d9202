module example.com/otp

go 1.19
