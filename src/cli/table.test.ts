import { Command } from 'commander'
import { expect, test } from 'vitest'
import { type CliRun, greenroom, readCommands } from '../../test/cli.js'
import type { Cli } from './io.js'
import { TABLE } from './table.js'
import { addTable, group, row } from './table-command.js'

/** Returns the options of a made-up command. */
function optionsOfRow(...given: Parameters<typeof row>): string[] {
  const program = new Command()
  addTable(program, {} as Cli, [group('things', 'made up', [row(...given)])])
  return program.commands[0]!.commands[0]!.options.map(({ flags }) => flags)
}

test("a line without its own options has those of its operation's fields", () => {
  expect(optionsOfRow('update', 'updateSegment')).toEqual(['--name <name>', '--conditions <json>'])
  expect(optionsOfRow('rename <name>', 'updateSegment')).toEqual([])
  expect(optionsOfRow('list', 'listSources')).toEqual([])
  expect(optionsOfRow('list', 'listSources', { defaultLimit: 20 })).toEqual(['--limit <number>', '--all'])
})

test('a DELETE asks, unless another command undoes it, and so does a command that replaces a secret', () => {
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

const leaves = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)

test('every command and every option has a description, or choices that have one', async () => {
  const groups = (await readCommands()).commands
  const without = [...groups, ...groups.flatMap(leaves)].flatMap((command) => [
    ...(command.description() === '' ? [command.name()] : []),
    ...command.options
      .filter(({ description, argChoices }) => description === '' && argChoices === undefined)
      .map(({ flags }) => `${command.parent?.name()} ${command.name()} ${flags}`),
  ])
  expect(without).toEqual([])
})

test('help marks required options, and says how to write an instant, a secret and JSON', async () => {
  const help = async (...words: string[]): Promise<string> =>
    (await greenroom([...words, '--help'])).stdout.replaceAll(/\s+/g, ' ')
  expect(await help('workspaces', 'create')).toContain('--type <type> (choices: "VIP", "STANDARD") (required)')
  expect(await help('keys', 'update')).toContain('or relative to now: +12h, +90d')
  expect(await help('ad-accounts', 'update')).toContain('read from this file, or from stdin with -')
  expect(await help('segments', 'create')).toContain('JSON, @file, or - for stdin (required)')
  // Null disconnects the platform, so a command that connects does not offer it.
  expect(await help('channels', 'connect-platform')).not.toContain('--no-token')
})

test('whoami --operator reports a missing token instead of answering for the key', async () => {
  const env = { GREENROOM_URL: 'http://127.0.0.1:1', GREENROOM_KEY: 'key_1', GREENROOM_SECRET: 'secret' }
  expect(await greenroom(['whoami', '--operator'], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Set GREENROOM_OPERATOR_TOKEN'),
  })
})

test('no command takes a secret as an argument', async () => {
  const taken = leaves(await readCommands()).flatMap((command) =>
    command.options
      .filter(({ long, required }) => required && /secret|token|password|passphrase/.test(long ?? ''))
      .map(({ flags }) => flags)
      .filter((flags) => !flags.endsWith('<file>')),
  )
  expect(taken).toEqual([])
})

test('an option can be written in any case, and an unknown choice is refused with the valid ones', async () => {
  const create = (...options: string[]): Promise<CliRun> =>
    greenroom(['workspaces', 'create', 'org_1', 'Paris', ...options], { env: { GREENROOM_URL: 'http://127.0.0.1:1' } })
  expect((await create('--type', 'vip')).stderr).toContain('Set GREENROOM_OPERATOR_TOKEN')
  expect(await create('--type', 'LARGE')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Allowed choices are VIP, STANDARD.'),
  })
})
