// Only the header has code; a C target needs a source file.
