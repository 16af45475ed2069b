import { Readable } from 'node:stream'
import type { Command } from 'commander'
import { describe, expect, test } from 'vitest'
import { type CliSurroundings, readCommands } from '../../test/cli.js'
import { CliStage } from '../../test/cli-stage.js'
import { OPERATOR_TOKEN, randomDigits, Tenant } from '../../test/harness.js'
import { reconcileChannels } from '../intake/platform/subscriptions.js'

const stage = new CliStage()
const { run, json } = stage

const typed = (line: string): CliSurroundings => ({
  stdin: Object.assign(Readable.from([Buffer.from(`${line}\n`)], { objectMode: false }), { isTTY: true }),
  terminal: 'stderr',
})

interface Leaf {
  path: string
  command: Command
}

const leavesOf = (command: Command, words: readonly string[]): Leaf[] =>
  command.commands.length === 0
    ? [{ path: words.join(' '), command }]
    : command.commands.flatMap((one) => leavesOf(one, [...words, one.name()]))

describe("the operator's command line", () => {
  test('irreversible actions are described and confirmed at a terminal', async () => {
    const tenant = await Tenant.create(stage.app)
    const organization = tenant.organizationId
    const workspace = await tenant.workspace('VIP')
    const channel = await tenant.channel([workspace])
    await tenant.conversations(channel, [{ id: 'c1' }])
    const erase = ['people', 'erase', organization, 'cu_c1']
    const refused = await run(1, erase, typed('n'))
    expect(refused.stderr).toContain(`This deletes every conversation of cu_c1 in every channel of ${organization}`)
    expect(refused.stderr).toContain('Nothing was changed.')
    expect(await json(erase, typed('y'))).toMatchObject({ conversations: 1 })

    await run(0, ['organizations', 'deactivate', organization])
    const goodbye = ['organizations', 'delete', organization]
    const asked = await run(1, goodbye, typed(''))
    expect(asked.stderr).toContain(`This deletes Test (${organization}) with its keys, 1 workspaces, 1 channels`)
    expect((await run(1, goodbye, typed('Tset'))).stderr).toContain('name_mismatch')
    expect(await json(goodbye, typed('Test'))).toMatchObject({ done: true })
  })

  test('every command that ends or removes something asks, or accepts --yes', async () => {
    const ends =
      /^(delete|remove|revoke|erase|disconnect|disconnect-platform|dismiss|redraw|stop|reset-second-factor|deactivate|rotate|rotate-secret|end|unmake-owner)$/
    // One more command reverts these.
    const undoable = ['organizations deactivate', 'superpowers deactivate', 'master-key rotate']
    const lacking = leavesOf(await readCommands(), [])
      .filter(({ command, path }) => ends.test(command.name()) && !undoable.includes(path))
      .filter(({ command }) => !command.options.some(({ long }) => long === '--yes'))
    expect(lacking.map(({ path }) => path)).toEqual([])

    const tenant = await Tenant.create(stage.app)
    const ofTenant = (...argv: string[]): string[] => [...argv.slice(0, 2), tenant.organizationId, ...argv.slice(2)]
    const { id: source } = await json([...ofTenant('sources', 'add'), 'EVENTS'])
    const { id: webhook } = await json([...ofTenant('webhooks', 'add'), 'https://example.com/hook'])
    const channel = await tenant.channel()
    const slots = await json(ofTenant('slots', 'set', channel, 'mon=09:30'))
    for (const argv of [
      ofTenant('sources', 'rotate', source),
      ofTenant('sources', 'rotate', source, '--verify-token'),
      ofTenant('sources', 'update', source, '--no-instagram-secret'),
      ofTenant('webhooks', 'rotate-secret', webhook),
      ofTenant('slots', 'set', channel, '--none'),
      ['sessions', 'end', 'usr_none'],
      ['users', 'unmake-owner', 'usr_none'],
    ]) {
      expect((await run(2, argv)).stderr).toContain('add --yes')
      expect((await run(1, argv, typed('n'))).stderr).toContain('Nothing was changed.')
    }
    expect(await json(ofTenant('slots', 'list'))).toMatchObject(slots.slots)
    const { id } = await json(['keys', 'issue', tenant.organizationId])
    const revoke = ['keys', 'revoke', tenant.organizationId, id]
    const isRevoked = async (): Promise<boolean> =>
      (await json(['keys', 'list', tenant.organizationId])).find((key: { id: string }) => key.id === id).revokedAt !==
      undefined
    expect((await run(2, revoke)).stderr).toContain('there is no terminal to ask on: add --yes.')
    expect((await run(2, ['operator-tokens', 'revoke', 'anna'])).stderr).toContain('add --yes')
    expect((await run(1, revoke, typed('n'))).stderr).toContain(`Calls with the key ${id} will be refused.`)
    expect(await isRevoked()).toBe(false)
    expect(await json(revoke, typed('y'))).toHaveProperty('revokedAt')
    expect(await isRevoked()).toBe(true)
  })

  test('an access token typed at a terminal is not shown', async () => {
    const tenant = await Tenant.create(stage.app)
    const adAccount = randomDigits(14)
    await run(0, [
      ...['ad-accounts', 'create', tenant.organizationId, adAccount, '--name', 'Ads'],
      ...['--currency', 'EUR', '--timezone', 'Europe/Paris'],
    ])
    const connect = ['ad-accounts', 'connect', tenant.organizationId, adAccount, '--no-check']
    const typed = Object.assign(Readable.from(['EAAB-typed\r']), { isTTY: true })
    const { stdout, stderr } = await run(0, connect, { stdin: typed, terminal: 'both' })
    expect(stdout).toMatch(/^connected +yes$/m)
    expect(stderr).toBe('Access token: \n')
    expect((await run(2, connect, { stdin: ' \n' })).stderr).toContain('The access token is empty.')
    const closed = Object.assign(Readable.from([]), { isTTY: true })
    expect((await run(2, connect, { stdin: closed })).stderr).toContain('No access token was given.')
  })

  test('a token that the platform cannot check is not stored, unless the check is disabled', async () => {
    const tenant = await Tenant.create(stage.app)
    const channel = await tenant.channel()
    const connect = ['channels', 'connect-platform', tenant.organizationId, channel]
    const { stderr } = await run(1, connect, { stdin: 'EAAB-page-token\n' })
    expect(stderr).toMatch(/not stored: try again, or .*--no-check.*\n\(502 platform_failed,/)
    expect((await json(['channels', 'list', tenant.organizationId]))[0]).toMatchObject({ status: 'not-connected' })
    const stored = await json([...connect, '--no-check'], { stdin: 'EAAB-page-token\n' })
    expect(stored).toMatchObject({ status: 'connected' })
    const list = ['channels', 'list', tenant.organizationId]
    expect((await json(list))[0]).toMatchObject({ subscription: null })
    await run(0, ['sources', 'add', tenant.organizationId, 'meta'], { stdin: 'app secret\n' })
    expect((await json(list))[0]).toMatchObject({ subscription: { state: 'PENDING', problem: null } })
    await reconcileChannels(stage.app.context)
    const [{ subscription }] = await json(list)
    expect(subscription).toMatchObject({ state: 'REFUSED', problem: expect.stringMatching(/\w/) })
    const { stdout } = await run(0, [...list, '--csv'])
    expect(stdout).toContain(`REFUSED: ${subscription.problem}`)
  })

  test('a refusal shows the message, the error code and the request id, and exits with 1', async () => {
    const { stdout, stderr } = await run(1, ['keys', 'list', 'org_none'])
    expect(stdout).toBe('')
    expect(stderr).toMatch(
      /^There is no organization with this id\.\n\(404 organization_not_found, request req_\S+\)\n$/,
    )
  })

  test('a refusal for its shape shows every wrong field', async () => {
    const tenant = await Tenant.create(stage.app)
    const { stderr } = await run(1, [
      ...['ad-accounts', 'create', tenant.organizationId, '12', '--name', 'Ads'],
      ...['--currency', 'EURO', '--timezone', 'Europe/Atlantis'],
    ])
    expect(stderr).toMatch(/"currency"/)
    expect(stderr).toMatch(/"timezone"/)
    expect(stderr).toMatch(/\(422 validation_failed, request req_\S+\)/)
  })

  test('a wrong token shows which variable to set, but no token', async () => {
    const env = { GREENROOM_OPERATOR_TOKEN: 'not-the-operators-token' }
    const { stdout, stderr } = await run(1, ['organizations', 'list'], { env })
    expect(stderr).toContain('GREENROOM_OPERATOR_TOKEN')
    expect(stdout + stderr).not.toContain('not-the-operators-token')
    expect(stdout + stderr).not.toContain(OPERATOR_TOKEN)
  })

  test('an empty id, such as an unset shell variable, is refused before anything is sent', async () => {
    expect((await run(2, ['keys', 'issue', ''])).stderr).toBe('An id is empty.\n')
  })

  test('an id is one part of the path, whatever it contains', async () => {
    expect((await run(1, ['keys', 'list', 'a/../b?c#d'])).stderr).toContain('organization_not_found')
  })
})
