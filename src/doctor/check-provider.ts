import { examineProvider } from '../access/sessions/examine-provider.js'
import { certificateFaultOf } from '../lib/certificate-fault.js'
import { type Examined, type Finding, type Findings, findingsOf } from './finding.js'

const { ok, problem } = findingsOf('identity provider')

/** Checks that OIDC_ISSUER is a provider, and uses exactly this name for itself. */
export async function* checkProvider({ config: { oidc } }: Examined): Findings {
  if (oidc !== null) yield describe(oidc.issuer, await examineProvider(oidc))
}

function describe(issuer: string, found: Awaited<ReturnType<typeof examineProvider>>): Finding {
  switch (found.state) {
    case 'right':
      return ok(`OIDC_ISSUER ${issuer} answers.`)
    case 'other-issuer':
      return problem(
        `OIDC_ISSUER ${issuer} calls itself ${JSON.stringify(found.issuer).slice(0, 300)}.`,
        'Set OIDC_ISSUER to that, letter by letter.',
      )
    case 'not-found':
      return problem(
        `OIDC_ISSUER ${issuer} answers ${found.status} where a provider describes itself.`,
        'Set OIDC_ISSUER to the address below which .well-known/openid-configuration is.',
      )
    case 'no-provider':
      return problem(
        `OIDC_ISSUER ${issuer} does not describe itself as an OpenID Connect provider.`,
        'Set OIDC_ISSUER to the address of one, as it names itself.',
      )
    case 'away':
      return away(issuer, found.error)
  }
}

function away(issuer: string, error: unknown): Finding {
  const fault = certificateFaultOf(error)
  if (fault !== undefined) {
    return problem(`The certificate of OIDC_ISSUER ${issuer} ${fault.is}.`, fault.remedy)
  }
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return problem(
    `OIDC_ISSUER ${issuer} does not answer${typeof code === 'string' ? ` (${code})` : ''}: no one can sign in by it.`,
    'Set OIDC_ISSUER to where the provider is, or let this machine reach it.',
  )
}
