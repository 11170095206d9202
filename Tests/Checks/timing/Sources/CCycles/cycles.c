// The header is all there is.
