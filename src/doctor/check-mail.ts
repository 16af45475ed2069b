import { isLoopback } from '../lib/addresses.js'
import { certificateFaultOf } from '../lib/certificate-fault.js'
import { createSmtp, MailPlainError, PLAIN_REMEDY } from '../news/mails/smtp.js'
import { type Examined, type Findings, findingsOf } from './finding.js'

const { ok, problem, warning } = findingsOf('mail')

export async function* checkMail({ config: { mail } }: Examined): Findings {
  if (mail === null) return
  const { host, hostname } = new URL(mail.url)
  const server = createSmtp(mail)
  try {
    await server.verify()
    yield ok(`The mail server ${host} answers.`)
    if (mail.tls === 'off' && !isLoopback(hostname)) {
      yield warning(
        `Email is sent to ${host} without TLS (SMTP_TLS=off): anyone who listens on the network can use the sign-in links in it.`,
        'Unset SMTP_TLS if the server offers TLS, or make sure that no one else can listen on that network.',
      )
    }
  } catch (error) {
    const fault = certificateFaultOf(error)
    if (fault !== undefined) {
      return yield problem(`The certificate of the mail server ${host} ${fault.is}.`, fault.remedy)
    }
    if (error instanceof MailPlainError) {
      return yield problem(`The mail server ${host} offers no TLS, so no email is sent.`, PLAIN_REMEDY)
    }
    // Its message may repeat what was sent.
    const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number }
    const found = [code, responseCode].filter((part) => part !== undefined).join(' ')
    yield problem(
      `The mail server ${host} cannot be used (${found}).`,
      code === 'EAUTH' ? 'Set SMTP_URL to a user and a password that it accepts.' : 'Correct the address in SMTP_URL.',
    )
  } finally {
    server.close()
  }
}
