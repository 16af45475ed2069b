import type { Command } from 'commander'
import type { RotationStep } from '../client/index.js'
import { operator } from './client.js'
import { groupOf } from './command-group.js'
import { type Cli, CliError } from './io.js'
import { note, printObject } from './output.js'
import { startCounting, toCount } from './progress.js'

export function addMasterKey(program: Command, cli: Cli): void {
  const { add } = groupOf(program, cli, 'master-key', 'the key that seals the secrets in the database')
  const does = 'seal every secret under a new master key while the servers run; broken off, it goes on where it was'
  add('rotate', does, '', async () => {
    const { keyId, resealed, unopened } = await rotate(cli)
    printObject(cli, { keyId, resealed, unopened })
    if (unopened > 0) {
      throw new CliError(1, `${toCount(unopened)} secrets open under neither key: the server's log names them.`)
    }
  })
}

/** Gives the sums of all steps. */
async function rotate(cli: Cli): Promise<RotationStep> {
  const client = operator(cli)
  const counting = await startCounting(cli, 'secrets', false)
  let sum: RotationStep = await client.masterKey.rotate({})
  try {
    while (sum.after !== undefined) {
      counting.count(sum.resealed, sum.resealed + sum.remaining)
      const step = await client.masterKey.rotate({ after: sum.after })
      sum = { ...step, resealed: sum.resealed + step.resealed, unopened: sum.unopened + step.unopened }
    }
  } finally {
    counting.stop()
  }
  if (cli.stderr.isTTY) note(cli, 'The old key is not needed any more.')
  return sum
}
