import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { Database } from '../src/database/database.js'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The email as received, with its headers; soft line breaks of quoted-printable are undone. */
  source: string
  /** The received bytes, one character each. */
  raw: string
  /** The subject as people read it. */
  subject: string
  text: string
}

export interface MailServer {
  url: string
  mails: ReceivedMail[]
  /** Recipients that it refuses permanently. */
  refused: Set<string>
  close(): Promise<void>
}

/** Starts a mail server on a real socket, without TLS unless the options configure it. */
export async function startMailServer(options: SMTPServerOptions = {}, port = 0): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const refused = new Set<string>()
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS', 'AUTH'],
    disableReverseLookup: true,
    closeTimeout: 100,
    onRcptTo({ address }, _, callback) {
      if (!refused.has(address)) return callback()
      callback(Object.assign(new Error('No such user here'), { responseCode: 550 }))
    },
    onData(stream, session, callback) {
      let source = ''
      stream.on('data', (chunk: Buffer) => {
        source += chunk.toString('latin1')
      })
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        const from = mailFrom === false ? '' : mailFrom.address
        const [head = '', ...body] = source.split('\r\n\r\n')
        const text = body.join('\r\n\r\n').replaceAll('=\r\n', '')
        mails.push({
          ...{ from, to: rcptTo.map(({ address }) => address) },
          source: `${head}\r\n\r\n${text}`,
          ...{ raw: source, subject: readSubject(head), text: readText(head, text) },
        })
        callback()
      })
    },
    ...options,
  })
  server.on('error', () => {})
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', () => listening()))
  const { port: given } = server.server.address() as AddressInfo
  return {
    url: `smtp://127.0.0.1:${given}`,
    mails,
    refused,
    close: () => new Promise((closed) => server.close(() => closed())),
  }
}

/** Undoes the encoded words of RFC 2047; white space between them does not count. */
const readSubject = (head: string): string =>
  (/^Subject: (.*(?:\r\n[ \t].*)*)$/im.exec(head)?.[1] ?? '')
    .replaceAll(/\r\n(?=[ \t])/g, '')
    .replaceAll(/\?=\s+(?==\?)/g, '?=')
    .replaceAll(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, encoding: string, word: string) =>
      encoding.toUpperCase() === 'B' ? fromBase64(word) : fromQuoted(word.replaceAll('_', ' ')),
    )

/** Returns the body in lines that end in \n. Its soft line breaks are already undone. */
function readText(head: string, body: string): string {
  const encoding = /^Content-Transfer-Encoding: (.*)$/im.exec(head)?.[1]?.trim()
  const text = encoding === 'base64' ? fromBase64(body) : encoding === 'quoted-printable' ? fromQuoted(body) : body
  return text.replaceAll('\r\n', '\n')
}

const fromBase64 = (text: string): string => Buffer.from(text, 'base64').toString('utf8')
const fromQuoted = (text: string): string =>
  Buffer.from(
    text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString('utf8')

/** Deletes emails that wait to be sent: other tests of the thread leave some in the shared database. */
export const forgetMails = (database: Pick<Database, 'execute'>): Promise<unknown> =>
  database.execute('delete from mails; delete from person_mails; delete from inbox_mails; delete from events')
