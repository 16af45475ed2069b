import { createTransport } from 'nodemailer'
import type { MailConfig } from '../../config/mail.js'
import type { Language } from '../../interface/languages.js'
import { bareHost, isLoopback } from '../../lib/addresses.js'

/** An email in plain text. */
export interface Mail {
  id: string
  to: { name: string; address: string }
  language: Language
  subject: string
  text: string
}

/** The server permanently rejects this email. */
export class MailRefusedError extends Error {
  constructor(cause: unknown) {
    super('the mail server refuses the recipient', { cause })
    this.name = 'MailRefusedError'
  }
}

export interface Smtp {
  /** Throws MailRefusedError, or another error if the email could not be sent for now. */
  send(mail: Mail): Promise<void>
  /** Connects and signs in. Throws the error that prevents it. */
  verify(): Promise<void>
  close(): void
}

const ANSWER_MS = 10_000
const SOCKET_MS = 30_000

/** The advice to an operator about a server without TLS. */
export const PLAIN_REMEDY =
  'Set SMTP_URL to a mail server that offers TLS (STARTTLS, or smtps://). Only if no one else can listen on the network in between, set SMTP_TLS=off: emails contain sign-in links.'

/** The mail server offers no TLS, although emails may only be sent over TLS. */
export class MailPlainError extends Error {
  readonly code = 'ETLS'
  constructor(cause: unknown) {
    super('the mail server offers no TLS', { cause })
    this.name = 'MailPlainError'
  }
}

/**
 * Opens a connection for each email. Emails contain sign-in links, so an email to another machine needs TLS, even if
 * someone on the way hides that the server offers STARTTLS, unless the operator has set SMTP_TLS=off.
 */
export function createSmtp({ url, tls, from }: MailConfig): Smtp {
  const { protocol, hostname, port, username, password } = new URL(url)
  const host = bareHost(hostname)
  const secure = protocol === 'smtps:'
  const transport = createTransport({
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: tls !== 'off' && !isLoopback(hostname),
    // The server's certificate often cannot be verified.
    ignoreTLS: tls === 'off',
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
          // The same at each attempt.
          messageId: `<${id.replaceAll(/[^\w.-]/g, '.')}@greenroom>`,
          headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': language },
        })
      } catch (error) {
        const { code, responseCode = 0 } = error as { code?: string; responseCode?: number }
        if (code === 'EENVELOPE' && (responseCode === 0 || responseCode >= 500)) throw new MailRefusedError(error)
        throw orPlain(error)
      }
    },
    async verify() {
      await transport.verify().catch((error) => {
        throw orPlain(error)
      })
    },
    close: () => transport.close(),
  }
}

/** Returns MailPlainError if the server offers no TLS, or was made to look so; otherwise the error itself. */
function orPlain(error: unknown): unknown {
  const { code, responseCode, command } = error as { code?: string; responseCode?: number; command?: string }
  const isRefused = responseCode !== undefined && (code === 'ETLS' || (code === 'ECONNECTION' && command === 'EHLO'))
  return isRefused ? new MailPlainError(error) : error
}

/** Puts a string on one line, because names may contain anything. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()
