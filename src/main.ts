#!/usr/bin/env node
/** The bin: the command line with its live layers, nothing else. */
process.exitCode = 1
