/**
 * Takes the given locks one after another, each as soon as its `.go` file exists, prints the results, and keeps the
 * locks.
 */
import { existsSync } from 'node:fs'
import { DataDirectoryInUseError } from '../../src/database/pglite/in-use.js'
import { takeProcessLock } from '../../src/database/pglite/process-lock.js'

const parent = process.ppid
process.stdout.write('ready\n')
for (const path of process.argv.slice(2)) {
  // It spins, so that several processes get here in the same instant.
  while (!existsSync(`${path}.go`)) {
    if (process.ppid !== parent) process.exit(1)
  }
  try {
    await takeProcessLock(path)
    process.stdout.write(`taken by ${process.pid}\n`)
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    process.stdout.write(`refused: ${error.message}\n`)
  }
}
// It ends when it is killed or the test run ends.
process.stdin.resume()
