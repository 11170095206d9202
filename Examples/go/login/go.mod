module example.com/login

go 1.19

require example.com/otp v0.0.0

replace example.com/otp => ../../../Bindings/go
