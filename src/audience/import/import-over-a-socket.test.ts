import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { OPERATOR_TOKEN, startTestApp, type Tenant, type TestApp } from '../../../test/harness.js'
import { CSV, ImportChannel, line, NDJSON, toNdjson } from '../../../test/imports.js'
import { buildApp } from '../../app.js'
import type { Database } from '../../database/database.js'
import { BATCH_ROWS } from './import-rows.js'
import { isImportRunning, leaseImport } from './running-imports.store.js'

let testApp: TestApp
let importing: ImportChannel
let tenant: Tenant
let channelId: string
const logged: Record<string, unknown>[] = []

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (entry) => logged.push(JSON.parse(entry)) })
  testApp = await startTestApp({}, log)
  await testApp.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => testApp.app.close())
beforeEach(async () => {
  importing = await ImportChannel.create(testApp)
  ;({ tenant, channelId } = importing)
})

/** The rows that one transaction writes. */
const batchRows = (): number => BATCH_ROWS[testApp.context.database.engine]

let openConnections = 0
beforeAll(() => {
  testApp.app.server.on('connection', (socket) => {
    openConnections += 1
    socket.on('close', () => {
      openConnections -= 1
    })
  })
})

async function open(contentType = NDJSON): Promise<Socket> {
  const { port } = testApp.app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(
    `POST /api${importing.path()} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\n` +
      `content-type: ${contentType}\r\ntransfer-encoding: chunked\r\n\r\n`,
  )
  return socket
}
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setImmediate(resolve))
}

test('what was imported before a cut connection stays, without an error, and the server continues', async () => {
  const socket = await open()
  socket.write(chunk(toNdjson(Array.from({ length: batchRows() * 1.5 }, (_, index) => line(`c${index}`)))))
  await until(async () => (await tenant.countConversations()) === batchRows())
  logged.length = 0
  socket.write('ffff\r\n{"conversationId":"torn","cuid":"u"}')
  socket.destroy()
  await until(() => openConnections === 0)
  // The import ends a moment after its connection.
  await until(
    async () =>
      !(await isImportRunning(testApp.context.database, { organizationId: tenant.organizationId, channelId })),
  )
  await importing.sendLines(line('after'))
  expect(await tenant.countConversations()).toBe(batchRows() + 1)
  // Our own fault would be logged as an error; a caller who disconnects would not.
  expect(logged.filter(({ level }) => (level as number) > 30)).toEqual([])
})

describe('lines that have all arrived when the caller is known', () => {
  /** Sends head and body in one piece, to an app that counts its transactions. */
  async function sendWhole(lines: object[]): Promise<{ answer: string; transactions: number }> {
    const { context } = testApp
    let transactions = 0
    const transaction: Database['transaction'] = (work, organization) => {
      transactions += 1
      return context.database.transaction(work, organization)
    }
    const app = await buildApp({ ...context, database: { ...context.database, transaction } })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as { port: number }
    const socket = connect(port, '127.0.0.1').setEncoding('utf8')
    let answer = ''
    socket.on('data', (text: string) => {
      answer += text
    })
    const body = toNdjson(lines)
    socket.write(
      `POST /api${importing.path()} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${OPERATOR_TOKEN}\r\nconnection: close\r\n` +
        `content-type: ${NDJSON}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await once(socket, 'close')
    await app.close()
    return { answer, transactions }
  }

  const trail = async () => {
    const { rows } = await testApp.context.database.query<{ state: string }>(
      `select changes ->> 'state' as state from audit_trail
        where organization_id = $1 and operation = 'importConversations' order by audit_id`,
      [tenant.organizationId],
    )
    return rows.map(({ state }) => state)
  }

  test('are imported in one transaction, with the entries for start and end', async () => {
    const { answer, transactions } = await sendWhole([line('c1'), { cuid: 'no id' }, line('c2')])
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
    expect(answer).toContain('"received":3,"imported":2,"erased":0')
    expect(transactions).toBe(1)
    expect(await tenant.countConversations()).toBe(2)
    expect(await trail()).toEqual(['begun', 'ended'])
  })

  test('are imported in batches if they exceed one transaction', async () => {
    const lines = Array.from({ length: batchRows() + 1 }, (_, index) => line(`c${index}`))
    const { answer, transactions } = await sendWhole(lines)
    expect(answer).toContain(`"received":${lines.length},"imported":${lines.length}`)
    expect(transactions).toBe(3)
    expect(await trail()).toEqual(['begun', 'ended'])
  })

  test('leave no entry if none of them is good', async () => {
    const { answer } = await sendWhole([{ cuid: 'no id' }])
    expect(answer).toContain('"received":1,"imported":0')
    expect(await trail()).toEqual([])
  })

  test('are refused during another import', async () => {
    await leaseImport(
      testApp.context.database,
      { organizationId: tenant.organizationId, channelId, leasedBy: 'x' },
      30_000,
    )
    const { answer } = await sendWhole([line('c1')])
    expect(answer).toMatch(/^HTTP\/1.1 409 /)
    expect(await tenant.countConversations()).toBe(0)
    expect(await trail()).toEqual([])
  })
})

test('a file refused for its header is answered although most of it has not arrived', async () => {
  const socket = await open(CSV)
  let answer = ''
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text
  })
  socket.write(chunk('conversationId,cuid,nick\n'))
  await until(() => answer.includes('"message"'))
  expect(answer).toMatch(/^HTTP\/1.1 400 /)

  // The rest is read and dropped, so that the same connection can serve the next request.
  answer = ''
  const rest = chunk('a,b,c\n'.repeat(10_000))
  for (let sent = 0; sent < 50; sent++) if (!socket.write(rest)) await once(socket, 'drain')
  socket.write('0\r\n\r\nGET /healthz HTTP/1.1\r\nhost: x\r\n\r\n')
  await until(() => answer.includes('alive'))
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  socket.destroy()
  expect(await tenant.countConversations()).toBe(0)
})
