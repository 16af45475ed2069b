/** Takes the given locks one after another, each as soon as its `.go` file is there; says how it went; keeps them. */
import { existsSync } from 'node:fs'
import { DataDirectoryInUseError } from '../../src/database/pglite/in-use.js'
import { takeProcessLock } from '../../src/database/pglite/process-lock.js'

const parent = process.ppid
process.stdout.write('ready\n')
for (const path of process.argv.slice(2)) {
  // Spinning, so that several processes get here in the same instant.
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
// Until it is killed, or the test run is.
process.stdin.resume()
