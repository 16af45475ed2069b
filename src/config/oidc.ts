import { isLoopback } from '../lib/addresses.js'
import { choice, isServerUrl, list, matching, reading, splitList, text } from './parsers.js'
import { type ConfigOf, group, Mistake, type Parser, setting } from './setting.js'

export interface ProviderRole {
  role: 'VIEWER' | 'EDITOR' | 'ADMIN'
  mayApprove: boolean
}

const isSafe = (url: string): boolean =>
  isServerUrl(url) && (url.startsWith('https:') || isLoopback(new URL(url).hostname))

const issuer = reading(
  (given) => (isSafe(given) ? given : undefined),
  'must be an https:// URL without a query; http:// is allowed only on localhost.',
)

const domains: Parser<readonly string[]> = (given) =>
  list(
    (domain) => domain === '*' || /^[^\s@*]+$/.test(domain),
    'must be domains separated by commas, such as example.com, or *.',
  )(given.toLowerCase())

function findRole(given: string): ProviderRole | undefined {
  const [, role, approve] = /^(VIEWER|EDITOR|ADMIN)(\+approve)?$/.exec(given) ?? []
  return role === undefined ? undefined : { role: role as ProviderRole['role'], mayApprove: approve !== undefined }
}

const role = reading(findRole, 'must be VIEWER, EDITOR or ADMIN, with +approve for the right to approve.')

/** Roles by claim value. A value may contain an equals sign, as directory names do. */
const roles: Parser<ReadonlyMap<string, ProviderRole>> = (given) =>
  new Map(
    splitList(given).map((entry) => {
      const at = entry.lastIndexOf('=')
      const found = findRole(entry.slice(at + 1))
      if (at > 0 && found !== undefined) return [entry.slice(0, at), found] as const
      throw new Mistake(`must look like marketing=EDITOR,leads=EDITOR+approve, not "${entry}".`)
    }),
  )

const withIssuer = (name: string) => ({
  OIDC_ISSUER: `${name} is set without OIDC_ISSUER: set the address of the provider too.`,
})

/** Sign-in with an OpenID Connect provider (docs/access.md). */
export const oidc = group(
  {
    issuer: setting('OIDC_ISSUER', issuer, { turnsOn: true }).about(
      'The OpenID Connect provider through which people sign in, exactly as it names itself, such as `https://login.example.com`. Needs PUBLIC_URL; register `/sign-in/callback` under that address as the redirect URI.',
    ),
    clientId: setting('OIDC_CLIENT_ID', text, {
      required: 'OIDC_CLIENT_ID is missing: use the client id that the provider issued for this server.',
      needs: withIssuer('OIDC_CLIENT_ID'),
    }).about('Client id of this server at the provider.'),
    clientSecret: setting('OIDC_CLIENT_SECRET', text, {
      secret: true,
      required: 'OIDC_CLIENT_SECRET is missing: use the secret that belongs to OIDC_CLIENT_ID.',
      needs: withIssuer('OIDC_CLIENT_SECRET'),
    }).about('Client secret of this server at the provider.'),
    /** The part of a call to the provider that contains the secret. */
    clientAuthentication: setting('OIDC_CLIENT_AUTH', choice('auto', 'post', 'basic'), { default: 'auto' }).about(
      'How the server sends the client secret: `post` in the request body, `basic` in the Authorization header. `auto` uses the body if the provider supports it, and tries the other way if the provider refuses.',
    ),
    name: setting('OIDC_NAME', text, { default: 'single sign-on' }).about(
      'Name of the provider on the sign-in page: “Sign in with …”.',
    ),
    scopes: setting(
      'OIDC_SCOPES',
      matching(/(^| )openid( |$)/, 'must contain openid, such as: openid email profile.'),
      { default: 'openid email profile' },
    ).about('Scopes to request, separated by spaces. Some providers need `groups` for a role claim.'),
    allowedDomains: setting('OIDC_ALLOWED_DOMAINS', domains, { default: '' }).about(
      'Domains, separated by commas. People with a verified email address there get an account when they first sign in; `*` admits everyone whom the provider knows.',
    ),
    organizationId: setting('OIDC_ORGANIZATION', text).about(
      'Id of the organization that people join through OIDC_DEFAULT_ROLE and OIDC_ROLES.',
    ),
    defaultRole: setting('OIDC_DEFAULT_ROLE', role, { needs: withIssuer('OIDC_DEFAULT_ROLE') }).about(
      'Role of people whom OIDC_ROLES gives none: VIEWER, EDITOR or ADMIN, with `+approve` for the right to approve. Without it they get no account.',
    ),
    roleClaim: setting('OIDC_ROLE_CLAIM', text).about(
      "Claim that lists a person's groups or roles, such as `groups` or `realm_access.roles`.",
    ),
    roles: setting('OIDC_ROLES', roles, { default: '', needs: withIssuer('OIDC_ROLES') }).about(
      'Roles by the values of that claim, separated by commas: `marketing=EDITOR,leads=EDITOR+approve`. They are applied at every sign-in.',
    ),
    secondFactor: setting('OIDC_SECOND_FACTOR', choice('asked', 'trusted'), { default: 'asked' }).about(
      '`trusted` accepts a second factor that the provider has checked. `asked` asks people who have set one up here.',
    ),
  },
  {
    ignoredWhenOff: true,
    check({ organizationId, defaultRole, roleClaim, roles, allowedDomains }, textOf) {
      const makesMembers = roles.size > 0 || defaultRole !== undefined
      return [
        !isSafe(textOf('PUBLIC_URL')) &&
          'OIDC_ISSUER needs PUBLIC_URL, with https://: the provider sends people back to it.',
        roles.size > 0 !== (roleClaim !== undefined) &&
          'OIDC_ROLE_CLAIM and OIDC_ROLES belong together: set both or none.',
        makesMembers !== (organizationId !== undefined) &&
          'OIDC_ORGANIZATION and a role (OIDC_DEFAULT_ROLE or OIDC_ROLES) belong together: set both or none.',
        makesMembers &&
          allowedDomains.length === 0 &&
          'OIDC_DEFAULT_ROLE and OIDC_ROLES need OIDC_ALLOWED_DOMAINS: the domains of your people, or * for everyone the provider knows.',
      ]
    },
  },
)

export type OidcConfig = NonNullable<ConfigOf<typeof oidc>>
