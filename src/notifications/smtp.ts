import { createTransport } from 'nodemailer'
import type { MailConfig } from '../config/mail.js'
import type { Language } from '../interface/languages.js'
import { isLoopback } from '../lib/addresses.js'

/** A mail in plain text. */
export interface Mail {
  id: string
  to: { name: string; address: string }
  language: Language
  subject: string
  text: string
}

/** The server does not take this mail, now or later. */
export class MailRefusedError extends Error {
  constructor(cause: unknown) {
    super('the mail server refuses the recipient', { cause })
    this.name = 'MailRefusedError'
  }
}

export interface Smtp {
  /** Throws MailRefusedError, or why it could not be sent for now. */
  send(mail: Mail): Promise<void>
  /** Connects and signs in. Throws what is in the way. */
  verify(): Promise<void>
  close(): void
}

const ANSWER_MS = 10_000
const SOCKET_MS = 30_000

/** Opens a connection for each mail. A password goes to another machine over TLS alone. */
export function createSmtp({ url, from }: MailConfig): Smtp {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: username !== '' && !isLoopback(hostname),
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: ANSWER_MS,
    greetingTimeout: ANSWER_MS,
    socketTimeout: SOCKET_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  return {
    async send({ id, to, language, subject, text }) {
      try {
        await transport.sendMail({
          from,
          to: { name: oneLine(to.name), address: to.address },
          subject: oneLine(subject),
          text,
          // The same again when it is sent again.
          messageId: `<${id.replaceAll(/[^\w.-]/g, '.')}@greenroom>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
        })
      } catch (error) {
        const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
        if (code === 'EENVELOPE' && (responseCode === 0 || responseCode >= 500)) throw new MailRefusedError(error)
        throw error
      }
    },
    async verify() {
      await transport.verify()
    },
    close: () => transport.close(),
  }
}

/** A name may hold anything. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
