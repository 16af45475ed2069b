#!/usr/bin/env node
import { readFileSync } from 'node:fs'
import { HELP, readOptions, startProgram, UsageError } from './program.js'

try {
  const options = readOptions(process.argv.slice(2))
  if (options === 'help') process.stdout.write(HELP)
  else if (options === 'version') process.stdout.write(`${readVersion()}\n`)
  else {
    const { sandbox, text } = await startProgram(options)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void sandbox.close())
    process.stdout.write(`${text}\n`)
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  process.stderr.write(`${error.message}\ngreenroom-sandbox --help lists the options.\n`)
  process.exitCode = 2
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version
}
