import { certificateFaultOf } from '../lib/certificate-fault.js'
import { createSmtp } from '../notifications/smtp.js'
import { type Examined, type Findings, findingsOf } from './finding.js'

const { ok, problem } = findingsOf('mail')

export async function* checkMail({ config: { mail } }: Examined): Findings {
  if (mail === null) return
  const { host } = new URL(mail.url)
  const server = createSmtp(mail)
  try {
    await server.verify()
    yield ok(`The mail server ${host} answers.`)
  } catch (error) {
    const fault = certificateFaultOf(error)
    if (fault !== undefined) {
      return yield problem(`The certificate of the mail server ${host} ${fault.is}.`, fault.remedy)
    }
    // Its message may repeat what was sent.
    const { code = 'unknown', responseCode } = error as { code?: string; responseCode?: number }
    const found = [code, responseCode].filter((part) => part !== undefined).join(' ')
    yield problem(
      `The mail server ${host} cannot be used (${found}).`,
      code === 'EAUTH' ? 'Set SMTP_URL to a user and a password that it accepts.' : 'Set SMTP_URL to where it is.',
    )
  } finally {
    server.close()
  }
}
