import { matching, url } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const smtpUrl: Parser<string> = (given) => {
  const { hostname, username, password } = new URL(url('smtp:', 'smtps:')(given))
  if (hostname !== '' && isPercentEncoded(username + password)) return given
  throw new Mistake(
    'must name a host, and have its user and password percent-encoded, such as smtp://user%40example.com:password@host.',
  )
}

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** The mail server (docs/notifications.md). */
export const mail = group({
  url: setting('SMTP_URL', smtpUrl, {
    secret: true,
    turnsOn: true,
    needs: { PUBLIC_URL: 'SMTP_URL needs PUBLIC_URL: mails hold links that lead there.' },
  }).about(
    'Mail server for invitations, posts that wait for approval and failures: `smtp://user:password@host:587`, `smtps://` for TLS at once. Needs MAIL_FROM and PUBLIC_URL; without it no mail is sent.',
  ),
  from: setting(
    'MAIL_FROM',
    matching(
      /^(?:[^<>@\p{Cc}]+ )?(?:<[^\s<>@,]+@[^\s<>@,]+>|(?<! )[^\s<>@,]+@[^\s<>@,]+)$/u,
      'must be a mail address, such as greenroom@example.com or Greenroom <greenroom@example.com>.',
    ),
    {
      required: 'SMTP_URL needs MAIL_FROM: the address that mails come from.',
      needs: { SMTP_URL: 'MAIL_FROM is set without SMTP_URL: set the address of the mail server too.' },
    },
  ).about('Sender of the mails: `greenroom@example.com`, or `Greenroom <greenroom@example.com>`.'),
})

export type MailConfig = NonNullable<ConfigOf<typeof mail>>
