import { isLoopback } from '../lib/addresses.js'
import { choice, isDecodable, matching, url } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

const smtpUrl: Parser<string> = (given) => {
  const { hostname, username, password } = new URL(url('smtp:', 'smtps:')(given))
  if (hostname !== '' && isDecodable(username + password)) return given
  throw new Mistake(
    'must name a host, with the user and password percent-encoded, such as smtp://user%40example.com:password@host.',
  )
}

/** The mail server (docs/notifications.md). */
export const mail = group(
  {
    url: setting('SMTP_URL', smtpUrl, {
      secret: true,
      turnsOn: true,
      needs: { PUBLIC_URL: 'SMTP_URL needs PUBLIC_URL, because emails contain links to it.' },
    }).about(
      'Mail server, such as `smtp://user:password@host:587`, or `smtps://` for implicit TLS. The service sends email only over TLS, unless the server is on the same machine. Needs MAIL_FROM and PUBLIC_URL.',
    ),
    tls: setting('SMTP_TLS', choice('required', 'off'), {
      default: 'required',
    }).about(
      '`off` sends email without TLS to another machine, for a network on which no one else listens: emails contain sign-in links.',
    ),
    from: setting(
      'MAIL_FROM',
      matching(
        /^(?:[^<>@\p{Cc}]+ )?(?:<[^\s<>@,]+@[^\s<>@,]+>|(?<! )[^\s<>@,]+@[^\s<>@,]+)$/u,
        'must be an email address, such as greenroom@example.com or Greenroom <greenroom@example.com>.',
      ),
      {
        required: 'SMTP_URL needs MAIL_FROM, the sender of the emails.',
        needs: { SMTP_URL: 'MAIL_FROM is set without SMTP_URL: set the address of the mail server too.' },
      },
    ).about('Sender of the emails: `greenroom@example.com`, or `Greenroom <greenroom@example.com>`.'),
  },
  {
    check: ({ url: given, tls }) => {
      const { protocol, username, hostname } = new URL(given)
      return [
        tls === 'off' &&
          protocol === 'smtps:' &&
          'SMTP_TLS=off contradicts smtps:// in SMTP_URL: use smtp:// there, or unset SMTP_TLS.',
        tls === 'off' &&
          username !== '' &&
          !isLoopback(hostname) &&
          'SMTP_TLS=off would send the password in SMTP_URL in the clear: unset SMTP_TLS, or use a server that asks for no password.',
      ]
    },
  },
)

export type MailConfig = NonNullable<ConfigOf<typeof mail>>
