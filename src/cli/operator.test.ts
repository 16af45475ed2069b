import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { Member, NEW_CHANNEL, randomDigits, Tenant } from '../../test/harness.js'
import { jpeg, png } from '../../test/media.js'
import { insertPost } from '../../test/posts.js'
import { whenAllRan } from '../../test/when-all-ran.js'
import { api } from '../access/surfaces.js'
import { routesOf } from '../http/surfaces.js'
import { operations } from '../operations.js'
import { TABLE } from './table.js'

const reached = new Set<string>()
const stage = new CliStage(({ app }) =>
  app.addHook('onRequest', async ({ method, routeOptions }) => {
    reached.add(`${method} ${routeOptions.url}`)
  }),
)
const { run, json, file } = stage

let tenant: Tenant
let organization: string
let workspace: string
let channel: string

/** Runs a deletion: it asks, accepts `--yes`, and finds nothing the second time. */
async function remove(...argv: string[]): Promise<void> {
  const { stderr } = await run(2, argv)
  expect(stderr).toContain('This cannot be undone, and there is no terminal to ask on: add --yes.')
  await run(0, [...argv, '--yes'])
  expect((await run(1, [...argv, '--yes'])).stderr).toContain('404 ')
}

/** Imports conversation c1 of u1 with a value of 10, and c2 of u2 with 20. */
async function importFans(): Promise<void> {
  const fans = file('fans.csv', 'conversationId,cuid,lifetimeValue\nc1,u1,10\nc2,u2,20\n')
  const imported = await json([
    ...['conversations', 'import', fans, '--organization', organization],
    ...['--channel', channel, '--workspace', workspace],
  ])
  expect(imported).toEqual({ received: 2, imported: 2, erased: 0, rejected: [], rejectedCount: 0 })
}

const markVip = async (id: string): Promise<void> =>
  expect(await json(['vips', 'mark', organization, workspace, channel, id])).toMatchObject({ vip: true })

/** Creates an organization with a VIP workspace and a channel connected to it, and calls as the operator. */
async function useNewOrganization(): Promise<void> {
  tenant = await Tenant.create(stage.app)
  organization = tenant.organizationId
  workspace = await tenant.workspace('VIP')
  channel = await tenant.channel([workspace])
}

describe("the operator's commands", () => {
  beforeEach(useNewOrganization)

  test('set up an organization from nothing to a signed call, and the trail records it', async () => {
    ;({ id: organization } = await json(['organizations', 'create', 'Café Lumière']))
    const created = expect.objectContaining({ id: organization, active: true })
    expect(await json(['organizations', 'list'])).toContainEqual(created)
    ;({ id: workspace } = await json(['workspaces', 'create', organization, 'Paris', '--type', 'VIP']))
    expect(await json(['workspaces', 'list', organization])).toEqual([{ id: workspace, name: 'Paris', type: 'VIP' }])
    const newChannel = ['channels', 'create', organization, '--type', 'FB_PAGE', '--platform-id', randomDigits(15)]
    ;({ id: channel } = await json([...newChannel, '--name', '喫茶店']))
    expect(await json(['channels', 'list', organization])).toEqual([
      { id: channel, type: 'FB_PAGE', name: '喫茶店', status: 'not-connected', ...NEW_CHANNEL },
    ])
    const connection = { workspaceId: workspace, channelId: channel }
    expect(await json(['channels', 'connect', organization, channel, workspace])).toEqual(connection)
    await importFans()
    await markVip('c1')

    const key = await json(['keys', 'issue', organization])
    const env = { GREENROOM_KEY: key.id, GREENROOM_SECRET: key.secret }
    const audience = `/vip-users?workspaceId=${workspace}&mediumId=${channel}`
    expect((await json(['call', 'GET', audience], { env })).items).toMatchObject([{ conversationId: 'c1' }])
    await run(0, ['organizations', 'deactivate', organization])
    expect((await run(1, ['call', 'GET', audience], { env })).stderr).toContain('402 organization_inactive')
    await run(0, ['organizations', 'activate', organization])
    expect(await json(['keys', 'update', organization, key.id, '--requests-per-second', '20'])).toMatchObject({
      requestsPerSecond: 20,
    })
    expect(await json(['keys', 'revoke', organization, key.id, '--yes'])).toHaveProperty('revokedAt')
    expect((await run(1, ['call', 'GET', audience], { env })).stderr).toContain('403 signature_invalid')
    expect(await json(['keys', 'list', organization])).toMatchObject([{ id: key.id, revokedAt: expect.any(String) }])

    const [newest, ...older] = await json(['audit', '--organization', organization, '--limit', '200'])
    expect(newest).toMatchObject({ operation: 'revokeKey', actor: { type: 'operator' } })
    expect(older.at(-1)).toMatchObject({ operation: 'createOrganization', target: { id: organization } })
    expect((await run(2, ['audit'])).stderr).toContain('Add --organization ID or --server.')
  })

  test('rename an organization, set its currency and language, require a second factor, and delete it by its name', async () => {
    await run(0, ['organizations', 'rename', organization, 'Café Aurore'])
    const update = ['organizations', 'update', organization]
    expect(await json([...update, '--currency', 'EUR', '--language', 'de', '--require-second-factor'])).toMatchObject({
      ...{ currency: 'EUR', language: 'de', requireSecondFactor: true },
    })
    expect(await json([...update, '--no-currency', '--no-require-second-factor'])).toMatchObject({
      ...{ currency: null, requireSecondFactor: false },
    })
    await run(1, [...update, '--currency', 'XXZ'])
    expect((await run(2, [...update, '--language', 'fr'])).stderr).toContain('Allowed choices are en, pt, es, de.')
    expect((await run(2, update)).stderr).toMatch(/^Add --name, .*--currency or --no-currency\.\n$/)

    await run(0, ['organizations', 'deactivate', organization])
    const goodbye = ['organizations', 'delete', organization, '--yes']
    expect((await run(2, goodbye)).stderr).toContain('add --yes and --name')
    expect((await run(1, [...goodbye, '--name', 'Café'])).stderr).toContain('400 name_mismatch')
    expect(await json([...goodbye, '--name', 'Café Aurore'])).toMatchObject({ id: organization, done: true })
  })

  test('change workspaces and channels', async () => {
    expect(await json(['workspaces', 'rename', organization, workspace, 'Lyon'])).toMatchObject({ name: 'Lyon' })
    expect(await json(['channels', 'rename', organization, channel, '喫茶'])).toMatchObject({ name: '喫茶' })
    const tokenFile = file('token.txt', 'EAAB-token\n')
    const connectPlatform = ['channels', 'connect-platform', organization, channel, '--no-check']
    expect(await json(connectPlatform, { stdin: 'EAAB-page-token\n' })).toMatchObject({ status: 'connected' })
    const disconnectPlatform = ['channels', 'disconnect-platform', organization, channel, '--yes']
    expect(await json(disconnectPlatform)).toMatchObject({ status: 'not-connected' })
    expect(await json([...connectPlatform, '--token-file', tokenFile])).toMatchObject({ status: 'connected' })
    await run(0, ['channels', 'disconnect', organization, channel, workspace, '--yes'])
    await remove('workspaces', 'delete', organization, workspace)
    await remove('channels', 'delete', organization, channel, '--force')
  })

  test('replace the posting slots of a channel', async () => {
    const set = ['slots', 'set', organization, channel]
    const slots = [
      { weekday: 1, time: '09:30' },
      { weekday: 1, time: '18:00' },
      { weekday: 7, time: '09:30' },
      { weekday: 7, time: '18:00' },
    ]
    expect(await json([...set, 'Sun,mon=18:00,09:30', 'mon=09:30'])).toEqual({ slots })
    expect(await json(['slots', 'list', organization])).toEqual(slots.map((slot) => ({ channelId: channel, ...slot })))
    const csv = await run(0, ['slots', 'list', organization, '--csv'])
    expect(csv.stdout.split('\r\n').slice(0, 2)).toEqual(['channelId,weekday,time', `${channel},mon,09:30`])
    expect((await run(2, [...set, 'monday=09:30'])).stderr).toContain('monday is not a day: use mon, tue,')
    expect((await run(2, [...set, '09:30'])).stderr).toContain('09:30 is not a slot')
    expect((await run(1, [...set, 'mon=9:30'])).stderr).toContain('a time such as 09:30')
    expect((await run(2, set)).stderr).toContain('Add the slots')
    expect((await run(2, [...set, 'mon=09:30', '--none'])).stderr).toContain('Add the slots')
    expect((await run(1, ['slots', 'set', organization, 'FB_PAGE_1', '--none', '--yes'])).stderr).toContain(
      '404 channel_not_found',
    )
    expect(await json([...set, 'sat=00:00'])).toEqual({ slots: [{ weekday: 6, time: '00:00' }] })
    const none = await run(0, [...set, '--none', '--yes'], { terminal: 'both' })
    expect(none.stdout).toBe('There are no posting slots yet.\n')
    expect(await json(['slots', 'list', organization])).toEqual([])
  })

  test('import, export and delete conversations, and erase a person', async () => {
    await importFans()
    const of = ['--organization', organization, '--channel', channel]
    const exported = await run(0, ['conversations', 'export', '-', ...of])
    const lines = exported.stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).lifetimeValue)).toEqual([10, 20])
    await remove('conversations', 'delete', organization, channel, 'c2')

    await markVip('c1')
    expect(await json(['people', 'erase', organization, 'u1', '--yes'])).toMatchObject({
      ...{ conversations: 1, vipMarks: 1, channels: 1, done: true },
    })
    expect(await json(['people', 'readmit', organization, 'u1'])).toEqual({ readmitted: true })
  })

  test('search the audience, and change its VIPs and segments', async () => {
    await importFans()
    for (const id of ['c1', 'c2']) await markVip(id)
    expect(await json(['vips', 'unmark', organization, workspace, channel, 'c2'])).toMatchObject({ vip: false })

    const change = ['vips', 'change', organization, workspace, channel]
    const partly = await run(1, [...change, '--mark', 'c2', '--unmark', 'c1', 'c9'])
    expect(JSON.parse(partly.stdout)).toEqual({ marked: ['c2'], unmarked: ['c1'], missing: ['c9'] })
    expect(partly.stderr).toContain('The channel does not have these conversations: c9.')
    expect(await json([...change, '--unmark', 'c2', '--mark', 'c1'])).toEqual({
      ...{ marked: ['c1'], unmarked: ['c2'], missing: [] },
    })
    expect((await run(2, change)).stderr).toContain('Add --mark or --unmark with ids.')
    expect((await run(2, [...change, '--mark', 'c1', ''])).stderr).toContain('An id is empty.')
    expect(await json(['vips', 'of', organization, 'u1'])).toMatchObject([
      { workspaceId: workspace, channelId: channel, conversationId: 'c1', by: 'operator' },
    ])
    expect(await json(['vips', 'of', organization, 'u2'])).toEqual([])

    const conditions = ['--conditions', '{"valueAbove":15}']
    const { id: segment } = await json(['segments', 'create', organization, 'Best', ...conditions])
    expect((await run(2, ['segments', 'create', organization, 'Bad', '--conditions', '15'])).stderr).toContain('JSON')
    const renamed = await json(['segments', 'update', organization, segment, '--name', 'The best'])
    expect(renamed).toMatchObject({ id: segment, name: 'The best', conditions: { valueAbove: 15 } })
    expect(await json(['segments', 'list', organization])).toEqual([renamed])

    const of = [organization, '--workspace', workspace, '--channel', channel]
    const ofEveryone = [...of, '--scope', 'all']
    expect(await json(['audience', 'list', ...of])).toMatchObject([{ conversationId: 'c1', rank: 1, vip: true }])
    const page = await run(0, ['audience', 'list', ...ofEveryone, '--limit', '1'])
    expect(JSON.parse(page.stdout)).toMatchObject([{ conversationId: 'c2', rank: 1, lifetimeValue: 20, vip: false }])
    expect(page.stderr).toBe('1 of 2 so far: continue with --offset 1, or export them all.\n')
    const table = await run(0, ['audience', 'list', ...ofEveryone], { terminal: 'both' })
    expect(table.stdout).toMatch(/^rank +conversationId .*\n +1 +c2 .* 20 +no\b.*\n +2 +c1 .* 10 +yes\b/)
    const next = await run(0, ['audience', 'list', ...ofEveryone, '--limit', '1', '--offset', '1'])
    expect([JSON.parse(next.stdout)[0].conversationId, next.stderr]).toEqual(['c1', ''])
    const byName = ['audience', 'list', ...ofEveryone, '--sort', 'name', '--limit', '1']
    const [, cursor] = /continue with --after (\S+), or/.exec((await run(0, byName)).stderr)!
    expect(await json([...byName, '--after', cursor!])).toMatchObject([{ conversationId: 'c2' }])
    for (const [condition, found] of [
      [['--segment', segment], ['c2']],
      [
        ['--value-above', '5', '--without-purchase', '30'],
        ['c2', 'c1'],
      ],
      [['--birthday-within', '7'], []],
      [['--birthday-month', '2'], []],
      [['--has-birthday'], []],
    ] as const) {
      const people = await json(['audience', 'list', ...ofEveryone, ...condition])
      expect(people.map(({ conversationId }: { conversationId: string }) => conversationId)).toEqual(found)
    }
    expect((await run(2, ['audience', 'list', ...of, '--value-above', 'much'])).stderr).toContain(
      'It must be a number.',
    )

    const path = join(stage.directory, 'audience.csv')
    await run(0, ['audience', 'export', ...ofEveryone, '--output', path])
    const [heading, ...lines] = readFileSync(path, 'utf8').trimEnd().split('\r\n')
    expect(heading).toMatch(/^conversationId,userName,.*,lifetimeValue,vip,rank$/)
    expect(lines.map((line) => line.split(','))).toMatchObject([{ 0: 'c2' }, { 0: 'c1' }])
    expect(lines.map((line) => line.split(',').slice(-3))).toEqual([
      ['20', 'false', '1'],
      ['10', 'true', '2'],
    ])
    expect(await json(['audience', 'export', ...of])).toMatchObject([{ conversationId: 'c1', vip: true }])
    expect(await json(['audience', 'export', ...of, '--segment', segment])).toEqual([])
    expect(await json(['segments', 'delete', organization, segment, '--yes'])).toEqual({ id: segment })
    expect((await run(1, ['audience', 'list', ...of, '--segment', segment])).stderr).toContain('404 segment_not_found')
  })

  test('add sources, import purchases, and link a person', async () => {
    await importFans()
    const shop = await run(0, ['sources', 'add', organization, 'shopify', '--name', 'Shop'], { stdin: 'shop secret\n' })
    expect(shop.stderr).toBe('')
    const { id: source } = JSON.parse(shop.stdout)
    const app = await run(0, ['sources', 'add', organization, 'events'])
    expect(app.stderr).toContain('Save the write key now')
    expect(JSON.parse(app.stdout)).toMatchObject({ trust: 'full' })
    const inPage = await json(['sources', 'add', organization, 'events', '--key-in', 'browser'])
    expect(inPage).toMatchObject({ trust: 'times_only', leftOut: 0 })
    const trusted = await json(['sources', 'update', organization, inPage.id, '--trust', 'new_people'])
    expect(trusted).toMatchObject({ trust: 'new_people' })
    expect(await json(['sources', 'list', organization])).toHaveLength(3)
    expect(await json(['sources', 'update', organization, source, '--value-from', 'revenue'])).toMatchObject({
      valueFrom: 'revenue',
    })
    const woo = await json(['sources', 'add', organization, 'woocommerce', '--counted-statuses', 'Invoice sent, quote'])
    expect(woo).toMatchObject({ countedStatuses: ['invoice-sent', 'quote'], uncountedStatuses: [] })
    const lists = ['--counted-statuses', '', '--uncounted-statuses', 'chargeback']
    expect(await json(['sources', 'update', organization, woo.id, ...lists])).toMatchObject({
      ...{ countedStatuses: [], uncountedStatuses: ['chargeback'] },
    })
    const rotated = await json(['sources', 'rotate', organization, JSON.parse(app.stdout).id, '--yes'])
    expect(rotated.writeKey).not.toBe(JSON.parse(app.stdout).writeKey)
    const appSecret = file('app-secret.txt', 'app secret\n')
    const page = await json(['sources', 'add', organization, 'meta', '--secret-file', appSecret])
    const renewed = await json(['sources', 'rotate', organization, page.id, '--verify-token', '--yes'])
    expect([renewed.verifyToken === page.verifyToken, renewed.previousSecretUntil]).toEqual([false, null])
    const update = ['sources', 'update', organization, page.id]
    expect(await json([...update, '--instagram-secret-file', appSecret])).toMatchObject({ id: page.id })
    expect(await json([...update, '--no-instagram-secret', '--yes'])).toMatchObject({ id: page.id })
    expect(await json(['sources', 'show', organization, source])).toMatchObject({ type: 'SHOPIFY', problems: 0 })
    expect(await json(['sources', 'problems', organization, source])).toEqual([])
    for (const change of [['retry'], ['dismiss', '--yes']]) {
      const refused = await run(1, ['sources', ...change, organization, source, 'prb_none'])
      expect(refused.stderr).toContain('404 problem_not_found')
    }
    const orders = file('orders.csv', 'orderId,amount,currency,at,userId\n1001,40,EUR,2026-11-01T09:00:00Z,u1\n')
    expect(
      await json(['purchases', 'import', orders, '--organization', organization, '--source', source]),
    ).toMatchObject({ imported: 1, rejectedCount: 0 })
    const link = [organization, 'u1', 'shopify', '207119551']
    expect(await json(['people', 'link', ...link])).toMatchObject({ cuid: 'u1', kind: 'shopify' })
    expect(await json(['people', 'show', organization, 'u1'])).toMatchObject({ links: [{ id: '207119551' }] })
    expect(await json(['people', 'search', organization, '207119551'])).toMatchObject([{ conversationId: 'c1' }])
    await json(['people', 'unlink', ...link])
    expect(await json(['sources', 'remove', organization, source, '--yes'])).toEqual({ id: source })
  })

  test('switch automation, and explain, change and delete a superpower', async () => {
    expect(await json(['automation', 'switch', organization, 'on', channel])).toMatchObject({ id: channel })
    expect(await json(['automation', 'switch', organization, 'shadow'])).toMatchObject({ automation: 'shadow' })
    const set = ['automation', 'set', organization, channel, '--notice', 'Hi', '--per-hour', '9']
    expect(await json(set)).toMatchObject({ id: channel })
    expect(await json(['channels', 'list', organization])).toMatchObject([
      { automation: 'on', automatedNotice: 'Hi', privateRepliesPerHour: 9 },
    ])
    await json(['automation', 'opt-out', organization, channel, '77'])
    expect(await json(['automation', 'opt-outs', organization, channel])).toMatchObject([
      { fromId: '77', source: 'hand' },
    ])
    await json(['automation', 'opt-in', organization, channel, '77'])
    expect(await json(['automation', 'opt-outs', organization, channel])).toEqual([])

    const size = file('size.json', '{"conditionGroups":[{"privateReplies":[{"text":"The guide"}]}]}')
    const explain = ['superpowers', 'explain', organization, '--file', size, '--type', 'FB_PAGE', '--comment', 'Size?']
    expect((await json(explain)).comments).toMatchObject([{ text: 'Size?', reason: 'matched' }])

    const newSuperpower = ['superpowers', 'create', organization, 'Raffle', '--data', '-']
    const { creativeTemplateId } = await json(newSuperpower, { stdin: '{"hashtag":"#Raffle","active":true}' })
    expect(await json(['superpowers', 'list', organization])).toMatchObject([{ creativeTemplateId, active: true }])
    const deactivate = ['superpowers', 'deactivate', organization, creativeTemplateId]
    expect(await json(deactivate)).toMatchObject({ creativeTemplateId, active: false })
    const rename = ['superpowers', 'rename', organization, creativeTemplateId, 'Spring']
    expect(await json(rename)).toMatchObject({ name: 'Spring', active: false })
    await run(0, ['superpowers', 'activate', organization, creativeTemplateId])
    await remove('superpowers', 'delete', organization, creativeTemplateId)
  })

  test('import posts, and repeat one', async () => {
    const plan = file('plan.csv', `time,channel,text\n,${channel},Bread\n,unknown,Rolls\n`)
    const refused = await run(1, ['posts', 'import', organization, plan, '--dry-run'])
    expect(refused.stderr).toContain('Nothing was imported: correct the lines with a problem (1)')
    const sound = file('sound.csv', `channel,text\n${channel},Bread\n`)
    expect((await run(0, ['posts', 'import', organization, sound, '--dry-run'])).stderr).toContain('without --dry-run')
    const [{ scheduledPostId: draft }] = await json(['posts', 'import', organization, sound])

    const every = [
      '--frequency',
      'weekly',
      '--weekday',
      '1,5',
      '--time',
      '17:00',
      '--from',
      '2099-12-07',
      '--count',
      '3',
    ]
    const series = await json(['posts', 'repeat', organization, draft, ...every])
    expect(series).toMatchObject({ rule: { frequency: 'WEEKLY', weekdays: [1, 5], count: 3 } })
    expect(await json(['posts', 'series', organization, draft])).toEqual(series)
    expect(await json(['posts', 'stop', organization, series.id, '--yes'])).toMatchObject({ deleted: 3 })
  })

  test('plan posts without a key', async () => {
    const of = ['--organization', organization]
    const posts = (verb: string, ...more: string[]) => json(['posts', verb, ...more, ...of])
    const { id } = await posts(
      'create',
      '--channel',
      `${channel}=Bread`,
      '--scheduled-for',
      '+3d',
      '--alt-text',
      'A loaf',
    )
    const media = ['--media', 'https://cdn.example/a.jpg', '--media-type', 'image']
    expect(await posts('update', id, ...media, '--no-alt-text')).not.toHaveProperty('altText')
    expect(await posts('list', '--text', 'bread')).toMatchObject([{ id, status: 'DRAFT' }])
    expect(await posts('submit', id)).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    expect(await json(['posts', 'check-media', organization, id])).toEqual(expect.anything())
    expect(await posts('reject', id, '--notes', 'Say when')).toMatchObject({ status: 'REJECTED' })
    expect(await json(['posts', 'last-review', organization, id])).toMatchObject({ review: expect.anything() })
    expect(await json(['posts', 'undo-decision', organization, id])).toMatchObject({ status: 'WAITING_FOR_APPROVAL' })
    expect(await json(['posts', 'waiting', organization])).toMatchObject([{ id }])
    expect(await json(['media', 'uses', organization, 'media_none'])).toEqual([])
    // A link has the name of the person who created it.
    const link = [organization, 'Anna', '--post', id]
    expect((await run(1, ['review-links', 'create', ...link])).stderr).toContain('403 ')
    const send = ['review-links', 'send', ...link, '--mail', 'anna@example.com']
    expect((await run(1, send)).stderr).toContain('409 mail_off')
    expect(await json(['review-links', 'list', organization, '--post', id])).toEqual([])
    expect((await run(1, ['review-links', 'revoke', organization, 'lnk_none', '--yes'])).stderr).toContain('404 ')
    expect((await run(1, ['posts', 'revert', id, ...of])).stderr).toContain('400 ')
    await run(0, ['posts', 'delete', id, ...of, '--yes'])
    expect((await run(1, ['posts', 'get', id, ...of])).stderr).toContain('404 post_not_found')
    const due = await insertPost(tenant, { status: 'SCHEDULED', scheduledFor: new Date(stage.app.clock.now() - 1_000) })
    expect(await posts('get', due)).toMatchObject({ wait: { reason: expect.any(String) } })
    const key = { env: { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret } }
    const refused = await run(2, ['posts', 'list', '--text', 'bread'], key)
    expect(refused.stderr).toBe('--text is only available with an organization.\n')
    const insights = ['insights', '23846105', ...of, '--from', '2026-11-18', '--to', '2026-11-19']
    expect((await run(1, insights)).stderr).toContain('400 ad_account_unknown')
  })

  test('show the lifetime values of VIPs to callers who may see them', async () => {
    await importFans()
    await markVip('c1')
    const list = ['vip-users', 'list', '--workspace', workspace, '--channel', channel]
    const of = ['--organization', organization]
    expect(await json([...list, ...of])).toMatchObject([{ conversationId: 'c1', lifetimeValue: 10, rank: 1 }])
    const key = { env: { GREENROOM_KEY: tenant.key.id, GREENROOM_SECRET: tenant.key.secret } }
    expect(await json(list, key)).toEqual([{ conversationId: 'c1', cuid: 'u1' }])
    expect((await run(2, [...list, '--compact', ...of])).stderr).toContain('--compact is only available with a key')
    const { stdout } = await run(0, ['vip-users', 'export', ...list.slice(2), ...of, '--csv'])
    expect(stdout.split('\r\n')[1]).toMatch(/^c1,.*,10,true,1$/)
  })

  test('report that a missing post does not exist', async () => {
    const none = ['post_none', '--organization', organization]
    const posts = (verb: string, ...options: string[]) => ['posts', verb, organization, 'post_none', ...options]
    for (const command of [
      ['automation', 'comments', ...none],
      ['automation', 'report', ...none],
      ['automation', 'stop', organization, 'post_none', channel, '--reason', 'Over', '--yes'],
      ['raffle', 'show', ...none],
      ['raffle', 'export', 'post_none', channel, '--organization', organization],
      ['raffle', 'redraw', organization, 'post_none', channel, '--rank', '1', '--reason', 'Nobody answers', '--yes'],
      posts('approve', '--yes'),
      posts('approve', '--if-match', '"1"'),
      posts('retry', '--scheduled-for', '+1h'),
      posts('history'),
    ]) {
      expect((await run(1, command)).stderr).toContain('404 post_not_found')
    }
  })

  test('discuss a post', async () => {
    const post = await insertPost(tenant, { status: 'DRAFT' })
    const of = [organization, post]
    const member = await Member.create(stage.app, { organizationId: organization, role: 'EDITOR' })
    const write = ['discussions', 'write', ...of, '--text']
    // A text that begins with @ is not the name of a file.
    const first = await json([...write, '@Zoë: is it fresh?', '--mention', member.id, '--shared'])
    expect(first).toMatchObject({ text: '@Zoë: is it fresh?', shared: true, mentions: [{ id: member.id }] })
    const reply = await json([...write, '-', '--reply-to', first.id], { stdin: 'Of this morning' })
    expect(reply).toMatchObject({ text: 'Of this morning', replyTo: first.id, shared: true, mentions: [] })
    expect((await run(1, [...write, 'x', '--reply-to', first.id, '--shared'])).stderr).toContain('conflict')
    expect((await run(1, [...write, 'x', '--mention', 'usr_none'])).stderr).toContain('mention_unknown')

    expect(await json(['discussions', 'edit', ...of, reply.id, '--text', 'Of today'])).toMatchObject({
      ...{ id: reply.id, text: 'Of today', editedAt: expect.any(String) },
    })
    expect(await json(['discussions', 'resolve', ...of, first.id])).toHaveProperty('resolvedAt')
    const table = await run(0, ['discussions', 'list', ...of, '--csv'])
    expect(table.stdout).toMatch(/^id,replyTo,createdAt,author,text,state\r\n/)
    expect(table.stdout).toMatch(/,operator,'@Zoë: is it fresh\?,resolved\r\n.*,operator,Of today,edited\r\n$/s)
    expect(await json(['discussions', 'reopen', ...of, first.id])).not.toHaveProperty('resolvedAt')
    expect((await run(2, ['discussions', 'delete', ...of, first.id])).stderr).toContain('add --yes')
    expect(await json(['discussions', 'delete', ...of, first.id, '--yes'])).toEqual({ id: first.id, removed: false })
    expect(await json(['discussions', 'list', ...of])).toMatchObject([
      { id: first.id, text: '', deletedAt: expect.any(String) },
      { id: reply.id, text: 'Of today' },
    ])
    const history = await json(['discussions', 'history', ...of])
    expect(history.map(({ action }: { action: string }) => action)).toEqual([
      ...['written', 'written', 'edited', 'resolved', 'reopened', 'deleted'],
    ])
    expect((await run(1, ['discussions', 'list', organization, 'post_none'])).stderr).toContain('404 post_not_found')
  })

  test('save texts', async () => {
    const texts = ['texts', 'create', organization, 'Hours', '--text', 'Open from 8 to 6.']
    const savedText = await json(texts)
    expect(savedText).toMatchObject({ kind: 'TEXT', name: 'Hours', text: 'Open from 8 to 6.' })
    const replaced = await json(['texts', 'update', organization, savedText.id, '--text', '-'], { stdin: 'Closed.' })
    expect(await json(['texts', 'list', organization])).toEqual([replaced])
    await run(0, ['texts', 'delete', organization, savedText.id, '--yes'])
  })

  test('upload, list and delete media', async () => {
    const uploaded = await json(['media', 'upload', organization, file('a.png', png(30, 20))])
    expect(uploaded).toMatchObject({ contentType: 'image/png', width: 30, height: 20 })
    const small = ['media', 'small-picture', organization, uploaded.id, file('a.jpg', jpeg(30, 20))]
    const shown = await json(small)
    expect(shown).toEqual({ ...uploaded, smallUrl: `${uploaded.url}.small.jpg` })
    expect(await json(['media', 'list', organization])).toEqual([shown])
    expect(await json(['media', 'delete', organization, uploaded.id, '--yes'])).toEqual({ id: uploaded.id })
  })

  test('call a webhook, and show what was sent to it', async () => {
    const hook = await run(0, ['webhooks', 'add', organization, 'https://example.com/hook', '--events', 'post.failed'])
    expect(hook.stderr).toContain('Save the secret now')
    const { id: webhook, secret: first } = JSON.parse(hook.stdout)
    const settings = ['--name', 'Chat', '--url', 'https://example.com/other', '--events', 'all', '--no-active']
    const updated = await json(['webhooks', 'update', organization, webhook, ...settings])
    expect(updated).toMatchObject({ name: 'Chat', url: 'https://example.com/other', active: false })
    expect([await json(['webhooks', 'list', organization]), updated.events]).toEqual([[updated], undefined])
    expect((await run(1, ['webhooks', 'test', organization, webhook])).stderr).toContain('409 webhook_inactive')
    expect(await json(['webhooks', 'update', organization, webhook, '--active'])).toMatchObject({ active: true })
    const { secret } = await json(['webhooks', 'rotate-secret', organization, webhook, '--yes'])
    expect(secret).not.toBe(first)
    const { id: event } = await json(['webhooks', 'test', organization, webhook])
    expect(await json(['webhooks', 'resend', organization, webhook, event])).toMatchObject({ status: 'PENDING' })
    await json(['webhooks', 'remove', organization, webhook, '--yes'])
    const deliveries = await json(['webhooks', 'deliveries', organization, '--webhook', webhook])
    expect(deliveries).toMatchObject([{ id: event, status: 'FAILED' }])
    const { payload } = await json(['webhooks', 'delivery', organization, webhook, event])
    expect(JSON.parse(payload)).toMatchObject({ id: event, type: 'test' })
    expect((await run(1, ['webhooks', 'test', organization, webhook])).stderr).toContain('404 webhook_not_found')
  })

  test('add, connect and delete an ad account', async () => {
    const adAccount = randomDigits(14)
    await run(0, [
      ...['ad-accounts', 'create', organization, `act_${adAccount}`, '--name', 'Ads'],
      ...['--currency', 'EUR', '--timezone', 'Europe/Paris'],
    ])
    const [listed] = await json(['ad-accounts', 'list', organization])
    expect(listed).toMatchObject({ id: adAccount, currency: 'EUR', timezone: 'Europe/Paris', connected: false })
    const connect = ['ad-accounts', 'connect', organization, adAccount, '--no-check']
    expect(await json(connect, { stdin: 'EAAB-token\n' })).toMatchObject({ connected: true })
    expect(await json(['ad-accounts', 'disconnect', organization, adAccount, '--yes'])).toMatchObject({
      connected: false,
    })
    const correct = ['ad-accounts', 'update', organization, adAccount, '--name', 'Adverts', '--currency', 'USD']
    expect(await json(correct)).toMatchObject({ name: 'Adverts', currency: 'USD', timezone: 'Europe/Paris' })
    const tokenFile = file('token.txt', 'EAAB-token\n')
    expect(await json([...connect, '--token-file', tokenFile])).toMatchObject({ connected: true })
    await remove('ad-accounts', 'delete', organization, adAccount)
  })

  test('invite people, and change their roles', async () => {
    const invite = (mail: string) => json(['invitations', 'create', organization, mail, '--role', 'EDITOR'])
    const invitation = await invite('zoe@example.com')
    expect(invitation).toMatchObject({ mail: 'zoe@example.com', role: 'EDITOR', mayApprove: false })
    expect(invitation.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#invitation=[\w-]{43}$/)
    expect(invitation.token).toBeUndefined()
    expect(await json(['invitations', 'list', organization])).toMatchObject([{ id: invitation.id }])
    expect(await json(['invitations', 'revoke', organization, invitation.id, '--yes'])).toEqual({ id: invitation.id })
    const member = await Member.create(stage.app, { organizationId: organization, role: 'VIEWER' })
    const roles = await json(['members', 'update', organization, member.id, '--channel', `${channel}=VIEWER+approve`])
    expect(roles.channels).toEqual([{ channelId: channel, role: 'VIEWER', mayApprove: true }])
    const wrong = await run(2, ['members', 'update', organization, member.id, '--channel', `${channel}=ADMIN`])
    expect(wrong.stderr).toContain('FB_PAGE_1=EDITOR')
    expect((await json(['members', 'update', organization, member.id, '--no-channels'])).channels).toEqual([])
    const changed = await json(['members', 'update', organization, member.id, '--role', 'ADMIN', '--may-approve'])
    expect(changed).toMatchObject({ id: member.id, role: 'ADMIN', mayApprove: true })
    expect((await run(2, ['members', 'update', organization, member.id])).stderr).toContain('Add --role')
    expect(await json(['members', 'list', organization])).toEqual([changed])
    expect(await json(['members', 'remove', organization, member.id, '--yes'])).toMatchObject({
      id: member.id,
      ended: { keys: [] },
    })
  })

  test('manage the people of the server', async () => {
    const member = await Member.create(stage.app, { organizationId: organization, role: 'ADMIN' })
    expect((await json(['users', 'invite-owner'])).link).toContain('/#invitation=')
    expect((await json(['users', 'sign-in-link', member.id])).link).toContain('/#sign-in=')
    expect(await json(['users', 'make-owner', member.id])).toMatchObject({ owner: true })
    const other = await Member.create(stage.app, { owner: true })
    expect(await json(['users', 'deactivate', other.id, '--yes'])).toMatchObject({ active: false })
    expect(await json(['users', 'activate', other.id])).toMatchObject({ active: true })
    expect(await json(['users', 'unmake-owner', member.id, '--yes'])).toMatchObject({ owner: false })
    expect(await json(['users', 'list'])).toContainEqual(expect.objectContaining({ id: member.id, mail: member.mail }))
    expect(await json(['users', 'confirm-mail', other.id])).toMatchObject({ mailProven: true })
    const guest = await Member.create(stage.app)
    expect(await json(['sessions', 'list', guest.id])).toMatchObject([{ method: 'password', current: false }])
    expect(await json(['sessions', 'end', guest.id, '--yes'])).toEqual({ ended: 1 })
    expect(await json(['users', 'tokens', guest.id])).toEqual([])
    expect((await run(1, ['users', 'revoke-token', guest.id, 'tok_none', '--yes'])).stderr).toContain('404 ')
    expect(await json(['users', 'reset-second-factor', guest.id, '--yes'])).toEqual({ removed: 0 })
    expect(await json(['users', 'delete', guest.id, '--yes'])).toMatchObject({ id: guest.id })
    expect(await json(['audit', '--server'])).toContainEqual(
      expect.objectContaining({ operation: 'endPersonSessions' }),
    )
  })

  test('issue a token to another operator, and revoke it', async () => {
    expect(await json(['whoami', '--operator'])).toMatchObject({ type: 'operator' })
    const anna = `anna-${randomDigits(12)}`
    const issued = await run(0, ['operator-tokens', 'issue', anna, '--expires', '+90d'], { terminal: 'both' })
    expect(issued.stdout).toMatch(/^name +anna-\d+\ntoken +greenroom_operator_[0-9a-f]{64}\n/)
    expect(issued.stderr).toBe('Save the token now: it is not shown again.\n')
    const asAnna = { GREENROOM_OPERATOR_TOKEN: /greenroom_operator_\w+/.exec(issued.stdout)![0] }
    expect(await json(['operator-tokens', 'list'], { env: asAnna })).toContainEqual(
      expect.objectContaining({ name: anna }),
    )
    expect(await json(['operator-tokens', 'revoke', anna, '--yes'])).toHaveProperty('revokedAt')
    expect((await run(1, ['organizations', 'list'], { env: asAnna })).stderr).toContain('401 operator_token_wrong')
  })

  test('back up the server, show its health, and refuse to rotate to the same key', async () => {
    const saved = join(stage.directory, 'saved.backup')
    expect(await json(['backup', saved, '--no-master-key'])).toMatchObject({ file: saved, masterKey: false })
    expect(await json(['backup', 'verify', saved])).toMatchObject({ masterKey: 'none' })
    expect((await run(2, ['backup', saved, '--no-master-key'])).stderr).toContain('already exists')

    expect((await run(1, ['master-key', 'rotate'])).stderr).toContain('400 rotation_impossible')
    const health = await run(1, ['server', 'health', '--json'])
    expect(health.stderr).toContain('Something is wrong')
    expect(JSON.parse(health.stdout).parts).toContainEqual({ part: 'publisher', state: 'bad', found: 'stopped' })
    expect(health.stderr).not.toContain('GRAPH_VERSION')

    const { clock } = stage.app
    const years = 3 * 366 * 86_400_000
    clock.advance(years)
    const old = await run(1, ['server', 'health'], { terminal: 'both' })
    expect(old.stdout).toMatch(/platform +warning: unannounced, v27\.0/)
    expect(old.stderr).toMatch(
      /does not know when v27\.0 ends.* Update\s+Greenroom: this version does not know a newer one\./,
    )
    clock.advance(-years)
  })

  // The tests together run every command of the table.
  whenAllRan(() => {
    const inTable = TABLE.flatMap(({ rows }) => rows.map(({ operation }) => operation))
    const missed = routesOf(api, operations)
      .filter(({ operation: { operationId } }) => inTable.some((each) => each === operationId))
      .filter(({ operation, path }) => !reached.has(`${operation.method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`))
    expect(missed.map(({ operationId }) => operationId)).toEqual([])
  })
})
