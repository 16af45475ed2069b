import { hash } from 'node:crypto'
import { ApiError } from '../../errors.js'
import type { Admission, RawAnswer, RawHead, RawRequest, RawRoute } from '../../http/raw-routes.js'
import { DELETION_CODE, findDataDeletion } from '../inbox/data-deletions.store.js'
import { readSignedRequest } from '../signatures.js'
import { checkAddress, countFailure, type Hooks, refuse, toDelivery, UNKNOWN_BYTES_MAX } from './admission.js'

/** 144 bits. */
const DELETION_CODE_CHARS = 24

/** Routes at which Meta asks for the deletion of a user's data, and where the user sees its state. */
export const dataDeletionRoutes = (hooks: Hooks): RawRoute[] => [
  {
    ...{ method: 'POST', path: '/hooks/:sourceId/data-deletion' },
    admit: (head) => admitDataDeletion(hooks, head),
    handle: (request) => receiveDataDeletion(hooks, request),
  },
  {
    ...{ method: 'GET', path: '/hooks/:sourceId/data-deletion/:code' },
    handle: (request) => tellOfDataDeletion(hooks, request),
  },
]

const nameOf = ({ params }: RawHead): string => `deletions of ${params.sourceId}`

async function admitDataDeletion(hooks: Hooks, head: RawHead): Promise<Admission<undefined>> {
  checkAddress(hooks, head.ip, nameOf(head))
  return { admitted: undefined, bytesMax: UNKNOWN_BYTES_MAX }
}

/**
 * Handles Meta's data deletion callback: a form, or JSON, with `signed_request`. The response has the address at which its
 * state is shown.
 */
async function receiveDataDeletion(hooks: Hooks, request: RawRequest): Promise<RawAnswer> {
  const { context, intake, accepted } = hooks
  const source = await intake.sources.byId(request.params.sourceId!)
  const signed = findSignedRequest(request.bytes)
  const isMeta = source?.type === 'META'
  // Takes as long as for a real source, so timing does not reveal which ids exist.
  const payload = readSignedRequest(signed, isMeta ? source.secrets : [''])
  if (!isMeta || payload === undefined) {
    countFailure(hooks, request.ip, undefined)
    const error = new ApiError('delivery_unsigned')
    throw isMeta ? refuse(hooks, source, 'signature', error) : error
  }
  accepted.set(nameOf(request), true)
  // The code includes the signature: without the app secret nobody finds the user by it.
  const code = hash('sha256', signed, 'base64url').slice(0, DELETION_CODE_CHARS)
  await intake.inbox.storeDataDeletion(
    {
      ...toDelivery(context, source),
      key: `deletion ${code}`,
      topic: 'data-deletion',
      headers: { [DELETION_CODE]: code },
      body: payload,
    },
    code,
  )
  intake.activity.noteDelivery(source)
  const { publicUrl, port } = context.config.http
  const root = publicUrl ?? `http://localhost:${port}`
  const url = `${root}/hooks/${source.sourceId}/data-deletion/${code}`
  return { status: 200, body: { url, confirmation_code: code } }
}

function findSignedRequest(bytes: Buffer): string {
  const text = bytes.toString('utf8')
  let fields: { signed_request?: unknown } | null = null
  try {
    fields = JSON.parse(text)
  } catch {
    // Meta sends a form, which is read below.
  }
  const named = fields?.signed_request ?? new URLSearchParams(text).get('signed_request')
  return typeof named === 'string' ? named : ''
}

/** Only the person knows the code, and the response says nothing about them. */
async function tellOfDataDeletion(hooks: Hooks, { params, ip }: RawRequest): Promise<RawAnswer> {
  const { context, intake } = hooks
  const code = params.code!
  const source = code.length === DELETION_CODE_CHARS ? await intake.sources.byId(params.sourceId!) : undefined
  const row = source && (await findDataDeletion(context.database, source.organizationId, source.sourceId, code))
  if (row === undefined) {
    countFailure(hooks, ip, undefined)
    throw new ApiError('data_deletion_not_found')
  }
  const requested_at = row.requested_at.toISOString()
  const done_at = row.done_at?.toISOString() ?? null
  const message =
    done_at === null
      ? `The request of ${requested_at} is waiting: the data is not deleted yet.`
      : `The data was deleted at ${done_at}.`
  const state = done_at === null ? 'WAITING' : 'DONE'
  return { status: 200, body: { confirmation_code: code, state, requested_at, done_at, message } }
}
