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
  'must be an https:// URL without a query; http:// does on localhost alone.',
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

const role = reading(findRole, 'must be VIEWER, EDITOR or ADMIN, with +approve for who may approve.')

/** Roles by claim value. A value may contain an equals sign, as directory names do. */
const roles: Parser<ReadonlyMap<string, ProviderRole>> = (given) =>
  new Map(
    splitList(given).map((entry) => {
      const at = entry.lastIndexOf('=')
      const found = findRole(entry.slice(at + 1))
      if (at > 0 && found !== undefined) return [entry.slice(0, at), found] as const
      throw new Mistake(`must be such as marketing=EDITOR,leads=EDITOR+approve, not "${entry}".`)
    }),
  )

const withIssuer = (name: string) => ({
  OIDC_ISSUER: `${name} is set without OIDC_ISSUER: set the address of the provider too.`,
})

/** Sign-in with an OpenID Connect provider (docs/access.md). */
export const oidc = group(
  {
    issuer: setting('OIDC_ISSUER', issuer, { turnsOn: true }).about(
      'The OpenID Connect provider by which people sign in, as it names itself: `https://login.example.com`. Needs PUBLIC_URL, under which `/sign-in/callback` is the redirect address.',
    ),
    clientId: setting('OIDC_CLIENT_ID', text, {
      required: 'OIDC_CLIENT_ID is missing: take the client id that the provider has given this server.',
      needs: withIssuer('OIDC_CLIENT_ID'),
    }).about('Id of this server at the provider.'),
    clientSecret: setting('OIDC_CLIENT_SECRET', text, {
      secret: true,
      required: 'OIDC_CLIENT_SECRET is missing: take the secret that belongs to OIDC_CLIENT_ID.',
      needs: withIssuer('OIDC_CLIENT_SECRET'),
    }).about('Its secret there.'),
    /** The part of a call to the provider that contains the secret. */
    clientAuthentication: setting('OIDC_CLIENT_AUTH', choice('auto', 'post', 'basic'), { default: 'auto' }).about(
      'Where a call of the provider has the secret: `post` in its body, `basic` in its Authorization header; `auto` takes the body where the provider offers that, and the other one when the provider refuses.',
    ),
    name: setting('OIDC_NAME', text, { default: 'single sign-on' }).about(
      'What the sign-in page calls the provider: “Sign in with …”.',
    ),
    scopes: setting(
      'OIDC_SCOPES',
      matching(/(^| )openid( |$)/, 'must contain openid, such as: openid email profile.'),
      { default: 'openid email profile' },
    ).about('What is asked of the provider, separated by spaces; some take `groups` for a role claim.'),
    allowedDomains: setting('OIDC_ALLOWED_DOMAINS', domains, { default: '' }).about(
      'Domains whose verified mail addresses get an account by signing in, separated by commas; `*` for everyone the provider knows.',
    ),
    organizationId: setting('OIDC_ORGANIZATION', text).about(
      'Id of the organization whose members OIDC_DEFAULT_ROLE and OIDC_ROLES make.',
    ),
    defaultRole: setting('OIDC_DEFAULT_ROLE', role, { needs: withIssuer('OIDC_DEFAULT_ROLE') }).about(
      'Role of who has none by OIDC_ROLES: VIEWER, EDITOR or ADMIN, with `+approve` for who may approve. Without it they get no account.',
    ),
    roleClaim: setting('OIDC_ROLE_CLAIM', text).about(
      'Claim that holds the groups or roles of a person, such as `groups` or `realm_access.roles`.',
    ),
    roles: setting('OIDC_ROLES', roles, { default: '', needs: withIssuer('OIDC_ROLES') }).about(
      'What its values give, separated by commas: `marketing=EDITOR,leads=EDITOR+approve`. At each sign-in they decide the membership.',
    ),
    secondFactor: setting('OIDC_SECOND_FACTOR', choice('asked', 'trusted'), { default: 'asked' }).about(
      '`trusted` counts signing in by the provider as with a second factor, where it asks for one itself; `asked` asks a person who has one here.',
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
