import { BadRequest, graphError, notFound, type SandboxAnswer } from './answers.js'
import { EDGES, type Edge, type Host, MARKETING_NODES, nameOf, PAGE_TOKEN_CODES } from './edges.js'
import type { SandboxNode, SandboxToken } from './route.js'
import { requireScope } from './scopes.js'
import { isInForce, marketingVersionInstead } from './versions.js'

interface Asked {
  method: string
  host: Host
  edge: string
  /** The version in the request; the call may run on another. */
  askedVersion: string
  version: string
  now: number
}

export const unknownPath = (path: string): SandboxAnswer =>
  graphError({ code: 2500, message: `Unknown path components: ${path}` })

/** Returns the row for a call on an object. Throws a BadRequest with the platform's refusal if there is none. */
export function requireEdge(node: SandboxNode, token: SandboxToken, asked: Asked): Edge {
  const { method, edge, host } = asked
  if (MARKETING_NODES.has(node.type)) requireMarketingVersion(asked)
  const listed = EDGES.filter(
    (row) => row.node === node.type && row.edge === edge && row.method === method && isInForce(row, asked),
  )
  const ofHost = listed.filter((row) => row.host === host)
  const found = ofHost.find((row) => row.tokens.includes(token.kind))
  if (found !== undefined) {
    for (const scope of found.scopes) requireScope(token, scope)
    return found
  }
  if (ofHost[0] !== undefined) throw wrongKindOfToken(ofHost[0], node)
  if (listed.length > 0) throw new BadRequest('Application does not have the capability to make this API call.', 3)
  throw BadRequest.with(noSuchEdge(node, asked))
}

function requireMarketingVersion({ askedVersion, now }: Asked): void {
  const instead = marketingVersionInstead(askedVersion, now)
  if (instead === undefined) return
  throw new BadRequest(
    `You are calling a deprecated version of the Ads API. Please update to the latest version: ${instead}.`,
    2635,
  )
}

function wrongKindOfToken(row: Edge, { id }: SandboxNode): BadRequest {
  if (!row.tokens.includes('page')) return BadRequest.with(notFound(id, row.method))
  const code = PAGE_TOKEN_CODES[nameOf(row)]
  if (code === 190) return new BadRequest('This method must be called with a Page Access Token', 190)
  if (code === undefined) return new BadRequest('A page access token is required to request this resource.', 210)
  return new BadRequest(
    'If posting to a page, requires both pages_read_engagement and pages_manage_posts as an admin with sufficient administrative permission',
    200,
  )
}

/** The platform distinguishes a name that it knows on other objects from an unknown name. */
function noSuchEdge({ type, id }: SandboxNode, { method, edge }: Asked): SandboxAnswer {
  if (method !== 'GET') return notFound(id, method)
  if (!EDGES.some((row) => row.edge === edge && row.method === 'GET')) return unknownPath(`/${edge}`)
  return new BadRequest(`Tried accessing nonexisting field (${edge}) on node type (${type})`).answer
}
