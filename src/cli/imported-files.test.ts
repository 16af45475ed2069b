import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CliStage } from '../../test/cli-stage.js'
import { Tenant } from '../../test/harness.js'
import { Sender } from '../../test/inbox.js'

/** Files that spreadsheets have saved, for the commands that import. */

const stage = new CliStage()
const { run, file } = stage

/** These bytes are encoded in Windows-1252. */
const ANSI = Buffer.from(
  'time,channel,text\r\n2027-01-05 18:00,Mercado Aurora,P\xe3o de queijo \x96 caf\xe9 \x80 5\r\n',
  'latin1',
)

describe('posts import', () => {
  async function startPlan(): Promise<string> {
    const tenant = await Tenant.create(stage.app)
    await tenant.channel([], 'FB_PAGE', 'Mercado Aurora')
    return tenant.organizationId
  }

  test('reads Windows-1252 as such, and says so', async () => {
    const { stdout, stderr } = await run(0, [
      ...['posts', 'import', await startPlan(), file('ansi.csv', ANSI), '--dry-run', '--json'],
    ])
    expect(JSON.parse(stdout)[0].cells.text).toBe('Pão de queijo – café € 5')
    expect(stderr).toContain('The file was read as Windows-1252.')
  })

  test('reports a line that is not text, and a file without lines', async () => {
    const id = await startPlan()
    const wrong = await run(1, ['posts', 'import', id, file('wrong.csv', Buffer.from([0x61, 0x0a, 0x00, 0xff]))])
    expect(wrong.stderr).toContain('Line 2 cannot be read: the line is not valid UTF-8')
    const empty = await run(1, ['posts', 'import', id, file('header.csv', 'channel,text\n')])
    expect(empty.stderr).toContain('The file has nothing to import')
  })

  test('asks for the order of ambiguous dates, and says how dates were read', async () => {
    const id = await startPlan()
    const plan = file('plan.csv', 'sep=;\r\ntime;channel;text\r\n05/01/2027 18:00;Mercado Aurora;Bread\r\n')
    const asked = await run(1, ['posts', 'import', id, plan, '--dry-run'])
    expect(asked.stdout).toContain('can be 5 January 2027, 18:00 or 1 May 2027, 18:00')
    const read = await run(0, ['posts', 'import', id, plan, '--date-order', 'MDY'])
    expect(read.stderr).toContain('Line 3: 05/01/2027 18:00 was read as 1 May 2027, 18:00 in UTC.')
    expect(read.stderr).toContain('Drafts created: 1.')
  })
})

describe('conversations import', () => {
  test.each<[string, string, Buffer]>([
    ['UTF-16', 'txt', Buffer.from('\uFEFFconversationId\tcuid\tfirstName\r\nc1\tu1\tZoë\r\nc2\t\tBo\r\n', 'utf16le')],
    ['Windows-1252', 'csv', Buffer.from('conversationId;cuid;firstName\rc1;u1;Zo\xeb\rc2;;B\x9cuf\r', 'latin1')],
  ])('of %s says so, and writes rejected lines as UTF-8, which can be imported', async (encoding, extension, bytes) => {
    const tenant = await Tenant.create(stage.app)
    const to = ['--organization', tenant.organizationId, '--channel', await tenant.channel()]
    const rejects = join(stage.directory, `rejects.${extension}`)
    const argv = ['conversations', 'import', file(`people.${extension}`, bytes), ...to, '--rejects', rejects]
    const { stdout } = await run(1, argv, { terminal: 'both' })
    expect(stdout).toMatch(
      new RegExp(`^read as {3}${encoding}\nreceived {2}2\nimported {2}1\nrejected {2}1\nline 3: cuid`),
    )
    const written = readFileSync(rejects, 'utf8')
    expect(written).toContain('# line 3: cuid must be a string')
    expect(written).toMatch(/\bc2.+(Bo|Bœuf)/)
    const mended = file(`mended.${extension}`, written.replace(/c2(.)/, 'c2$1u2'))
    expect((await run(0, ['conversations', 'import', mended, ...to])).stdout).toContain('"imported": 1')
    expect(await tenant.countConversations()).toBe(2)
  })

  test('of a file without lines says so', async () => {
    const tenant = await Tenant.create(stage.app)
    const to = ['--organization', tenant.organizationId, '--channel', await tenant.channel()]
    const argv = ['conversations', 'import', file('none.csv', 'conversationId,cuid\n,\n'), ...to]
    expect((await run(0, argv, { terminal: 'both' })).stdout).toContain('The file has nothing to import')
  })
})

test('purchases import says how the file was read', async () => {
  const sender = await Sender.create(stage.app, 'EVENTS')
  const orders = Buffer.from('orderId;amount;currency;at\r\xe9;1;EUR;2026-11-01T10:00:00Z\r', 'latin1')
  const to = ['--organization', sender.tenant.organizationId, '--source', sender.source.id]
  const { stdout } = await run(0, ['purchases', 'import', file('orders.csv', orders), ...to])
  expect(JSON.parse(stdout)).toMatchObject({ received: 1, imported: 1, encoding: 'Windows-1252' })
})
