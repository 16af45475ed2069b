import type { Command } from 'commander'
import type { RotationStep } from '../client/index.js'
import { api } from './client.js'
import { addCommand, groupNamed } from './command.js'
import { type Cli, CliError } from './io.js'
import { note, printObject } from './output.js'
import { countWhile, toCount } from './progress.js'

export function addMasterKey(program: Command, cli: Cli): void {
  groupNamed(program, 'master-key').description('the key that seals the secrets in the database')
  const does = 'seal every secret under a new master key while the servers run; broken off, it goes on where it was'
  addCommand(program, 'master-key rotate', does, '', async () => {
    const { keyId, resealed, unopened } = await rotate(cli)
    printObject(cli, { keyId, resealed, unopened })
    if (unopened > 0) {
      throw new CliError(1, `${toCount(unopened)} secrets open under neither key: the server's log names them.`)
    }
  })
}

/** Gives the sums of all steps. */
async function rotate(cli: Cli): Promise<RotationStep> {
  const client = api(cli)
  const sum = await countWhile(cli, 'secrets', false, async (count) => {
    let soFar: RotationStep = await client.call('rotateMasterKey', { body: {} })
    while (soFar.after !== undefined) {
      count(soFar.resealed, soFar.resealed + soFar.remaining)
      const step = await client.call('rotateMasterKey', { body: { after: soFar.after } })
      soFar = { ...step, resealed: soFar.resealed + step.resealed, unopened: soFar.unopened + step.unopened }
    }
    return soFar
  })
  if (cli.stderr.isTTY) note(cli, 'The old key is not needed any more.')
  return sum
}
