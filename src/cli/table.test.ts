import { Command } from 'commander'
import { expect, test } from 'vitest'
import { type CliRun, greenroom, readCommands } from '../../test/cli.js'
import type { Cli } from './io.js'
import { TABLE } from './table.js'
import { addTable, group, row } from './table-command.js'

/** The options of a made-up command of a table. */
function optionsOfRow(...given: Parameters<typeof row>): string[] {
  const program = new Command()
  addTable(program, {} as Cli, [group('things', 'made up', [row(...given)])])
  return program.commands[0]!.commands[0]!.options.map(({ flags }) => flags)
}

test('a line that says no more than its operation has the options of the fields', () => {
  expect(optionsOfRow('update', 'updateSegment')).toEqual(['--name <name>', '--conditions <json>'])
  expect(optionsOfRow('rename <name>', 'updateSegment')).toEqual([])
  expect(optionsOfRow('list', 'listSources')).toEqual([])
  expect(optionsOfRow('list', 'listSources', { shown: 20 })).toEqual(['--limit <number>', '--all'])
})

test('a DELETE asks, unless another command undoes it, and so does what takes a secret away', () => {
  expect(optionsOfRow('delete', 'deleteSegment')).toEqual(['--yes'])
  expect(optionsOfRow('unmark', 'unmarkVip', { isUndoable: true })).toEqual([])
  expect(optionsOfRow('update', 'updateSource', { fields: 'instagramSecret' })).toEqual([
    ...['--instagram-secret-file <file>', '--no-instagram-secret', '--yes'],
  ])
  const undoable = TABLE.flatMap(({ name, rows }) =>
    rows.filter(({ spec }) => spec.isUndoable).map(({ usage }) => `${name} ${usage}`),
  )
  expect(undoable).toEqual(['vips unmark', 'people unlink', 'automation opt-in'])
})

test('no command takes a secret as an argument', async () => {
  const leaves = (command: Command): Command[] =>
    command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
  const taken = leaves(await readCommands()).flatMap((command) =>
    command.options
      .filter(({ long, required }) => required && /secret|token|password|passphrase/.test(long ?? ''))
      .map(({ flags }) => flags)
      .filter((flags) => !flags.endsWith('<file>')),
  )
  expect(taken).toEqual([])
})

test('an option may be written in any case, and a choice that is none is refused with those there are', async () => {
  const create = (...options: string[]): Promise<CliRun> =>
    greenroom(['workspaces', 'create', 'org_1', 'Paris', ...options], { env: { GREENROOM_URL: 'http://127.0.0.1:1' } })
  expect((await create('--type', 'vip')).stderr).toContain('Set GREENROOM_OPERATOR_TOKEN')
  expect(await create('--type', 'LARGE')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are VIP, STANDARD.'),
  })
})
