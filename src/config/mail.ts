import { isLoopback } from '../lib/addresses.js'
import { choice, isDecodable, matching, url } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const smtpUrl: Parser<string> = (given) => {
  const { hostname, username, password } = new URL(url('smtp:', 'smtps:')(given))
  if (hostname !== '' && isDecodable(username + password)) return given
  throw new Mistake(
    'must name a host, and have its user and password percent-encoded, such as smtp://user%40example.com:password@host.',
  )
}

/** The mail server (docs/notifications.md). */
export const mail = group(
  {
    url: setting('SMTP_URL', smtpUrl, {
      secret: true,
      turnsOn: true,
      needs: { PUBLIC_URL: 'SMTP_URL needs PUBLIC_URL: mails hold links that lead there.' },
    }).about(
      'Mail server for invitations, posts that wait for approval and failures: `smtp://user:password@host:587`, `smtps://` for TLS at once. Mails go only over TLS, unless the server is on this machine. Needs MAIL_FROM and PUBLIC_URL; without it no mail is sent.',
    ),
    tls: setting('SMTP_TLS', choice('required', 'off'), {
      default: 'required',
    }).about(
      '`off` sends mails without TLS to a server on another machine, for a network that no one else listens on: mails hold sign-in links.',
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
  },
  {
    check: ({ url: given, tls }) => {
      const { protocol, username, hostname } = new URL(given)
      return [
        tls === 'off' &&
          protocol === 'smtps:' &&
          'SMTP_TLS=off contradicts smtps:// in SMTP_URL: take smtp:// there, or leave SMTP_TLS out.',
        tls === 'off' &&
          username !== '' &&
          !isLoopback(hostname) &&
          'SMTP_TLS=off would send the password in SMTP_URL in the clear: leave SMTP_TLS out, or take a server that asks for no password.',
      ]
    },
  },
)

export type MailConfig = NonNullable<ConfigOf<typeof mail>>
