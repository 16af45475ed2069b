/** Takes the given locks one after another, each as soon as its `.go` file is there; says how it went; keeps them. */
import { existsSync } from 'node:fs'
import { DataDirectoryInUseError, takeProcessLock } from '../../src/database/process-lock.js'

process.stdout.write('ready\n')
for (const path of process.argv.slice(2)) {
  // Spinning, so that several processes get here in the same instant.
  while (!existsSync(`${path}.go`)) {}
  try {
    takeProcessLock(path)
    process.stdout.write('taken\n')
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error
    process.stdout.write(`refused: ${error.message}\n`)
  }
}
// Until it is killed.
setInterval(() => {}, 60_000)
