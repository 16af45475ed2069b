import { examineProvider } from '../access/sessions/examine-provider.js'
import { certificateFaultOf } from '../lib/certificate-fault.js'
import { type Examined, type Finding, type Findings, findingsOf } from './finding.js'

const { ok, problem } = findingsOf('identity provider')

/** Checks that OIDC_ISSUER is an OpenID Connect provider that gives exactly this name as its issuer. */
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
        'Set OIDC_ISSUER to exactly that.',
      )
    case 'not-found':
      return problem(
        `OIDC_ISSUER ${issuer} answers ${found.status} to the request for its configuration.`,
        'Set OIDC_ISSUER to the address under which .well-known/openid-configuration exists.',
      )
    case 'no-provider':
      return problem(
        `OIDC_ISSUER ${issuer} is not an OpenID Connect provider.`,
        'Set OIDC_ISSUER to the address of a provider, exactly as it names itself.',
      )
    case 'away':
      return describeFailure(issuer, found.error)
  }
}

function describeFailure(issuer: string, error: unknown): Finding {
  const fault = certificateFaultOf(error)
  if (fault !== undefined) {
    return problem(`The certificate of OIDC_ISSUER ${issuer} ${fault.is}.`, fault.remedy)
  }
  const { code } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
  return problem(
    `OIDC_ISSUER ${issuer} does not answer${typeof code === 'string' ? ` (${code})` : ''}, so no one can sign in through it.`,
    'Correct OIDC_ISSUER, or let this machine reach the provider.',
  )
}
