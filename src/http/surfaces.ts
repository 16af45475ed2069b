import type { IncomingHttpHeaders } from 'node:http'
import Joi, { type ObjectSchema, type Schema } from 'joi'
import type { Database } from '../database/database.js'
import type { Ready } from '../lib/ready.js'
import type { Operation, SurfaceName } from './operation.js'
import { holdsAny, type Needed, type Permission, type Principal, type ServerPrincipal } from './principal.js'
import type { Snapshot } from './snapshot.js'

/** A set of operations under a prefix, with its callers and their ways to authenticate. */
export interface Surface {
  name: SurfaceName
  prefix: string
  /** How the organization is determined: it is the caller's own, or the one that the path names. */
  organization: 'caller' | 'path'
  /** All permissions that a caller can hold on this surface. */
  permissions: ReadonlySet<Permission>
  /** The statuses that the surface's own checks return, before the operation is called. */
  answers: readonly number[]
  /** The same for operations on the server as a whole. */
  serverAnswers?: readonly number[]
  docs: {
    tag: string
    description: string
    /** The ways to authenticate, each a list of schemes that are all needed. */
    security: readonly (readonly string[])[]
  }
}

/** An authenticated caller. On a surface whose paths name the organization, the principal has none yet. */
export interface Caller {
  principal: ServerPrincipal | Principal
  snapshot: Snapshot
  /** Headers for every response, such as the number of calls left when there are few. */
  answerHeaders?: Record<string, string> | undefined
}

/** The head of a request, which is all that an authenticator reads. */
export interface RequestHead {
  method: string
  headers: IncomingHttpHeaders
  /** The client's address, with TRUST_PROXY applied. */
  ip: string
}

/** Authenticates requests; throws ApiError. */
export interface Authenticator {
  /**
   * `headers` authenticates before any of the body is read. `body` means that the signature covers the body, so the
   * signature is checked once the body has arrived, before it is parsed.
   */
  reads: 'headers' | 'body'
  authenticate(head: RequestHead, permission: Needed, body?: Buffer): Ready<Caller>
  /** Returns the principal in the organization that the path names; throws organization_not_found. */
  enterOrganization?(caller: Caller, organizationId: string, database: Database): Ready<Principal>
  /** For sessions: throws confirmation_needed unless the person has just proven their identity. */
  requireConfirmation?(principal: ServerPrincipal): Ready<void>
}

/** An operation as a surface offers it. */
export interface Route<Needs = never> {
  operation: Operation<Needs>
  operationId: string
  /** As in OpenAPI, including prefix and organization. */
  path: string
  params: ObjectSchema | undefined
  /**
   * The schema of the JSON body, which must be present. All requests share one schema object, because Joi caches by that
   * object.
   */
  body: ObjectSchema | undefined
  /** The body of a success. */
  success: Schema
  /** True if any caller of the surface may hold the permission; otherwise every call is refused. */
  isOpen: boolean
  /** Every status that it may return, in addition to 413, 415, 417, 429 and 5xx. */
  answers: readonly number[]
}

/** Returns true for the reads that pages in a browser repeat, which get an ETag (tag-answer.ts). */
export const isTagged = ({ name }: Surface, { method }: Operation): boolean =>
  method === 'GET' && (name === 'api' || name === 'review')

const organizationParam = { organizationId: Joi.string().required() }

function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Returns the operations that the surface offers, in order. */
export function routesOf<Needs>(surface: Surface, operations: readonly Operation<Needs>[]): Route<Needs>[] {
  return operations
    .filter(({ surfaces }) => surfaces.includes(surface.name))
    .map((operation) => {
      const { path, params, scope, permission } = operation
      const isInPath = surface.organization === 'path' && scope === 'organization'
      const isOpen = holdsAny(surface.permissions, permission)
      const own = isOpen ? operation.answers : []
      const shared = (scope === 'server' && surface.serverAnswers) || surface.answers
      // A body is parsed before it is known whether the operation reads one; the body of a GET is ignored.
      const parsing = operation.method === 'GET' ? [] : [400]
      const tagged = isTagged(surface, operation) ? [304] : []
      // Created at the first request: creating them for all routes would take a tenth of the start.
      const schemas = once(() => ({
        params: isInPath ? ((params ?? Joi.object()) as ObjectSchema).keys(organizationParam) : params,
        body: operation.streams === undefined ? operation.body?.required() : undefined,
      }))
      return {
        operation,
        operationId: nameOn(surface, operation),
        path: `${surface.prefix}${isInPath ? '/organizations/{organizationId}' : ''}${path}`,
        get params() {
          return schemas().params
        },
        get body() {
          return schemas().body
        },
        success: operation.successOn?.[surface.name] ?? operation.success,
        isOpen,
        answers: [...new Set([...own, ...shared, ...parsing, ...tagged])].sort((a, b) => a - b),
      }
    })
}

/**
 * Returns the operation's name on a surface. If the paths of the surface name the organization and `/v1` or `/v0` has the
 * operation too, it gets a name of its own, such as `listOrganizationChannels` for `listChannels`.
 */
function nameOn({ organization }: Surface, { operationId, surfaces, scope }: Operation): string {
  const isShared = organization === 'path' && surfaces.some((other) => other === 'v1' || other === 'v0')
  return isShared ? operationId.replace(/^[a-z]+/, scope === 'server' ? '$&Api' : '$&Organization') : operationId
}
