import { createHmac, timingSafeEqual } from 'node:crypto'
import fastify, { type FastifyInstance } from 'fastify'
import Joi from 'joi'
import { beforeEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../../test/harness.js'
import { ApiError } from '../errors.js'
import { addBodyParsers } from './body-parsers.js'
import type { Context } from './context.js'
import { toApiError, toErrorBody } from './error-handler.js'
import { HeldBodies } from './held-bodies.js'
import { mount } from './mount.js'
import { type Operation, ok, operation } from './operation.js'
import { PERMISSIONS, type Permission } from './principal.js'
import { type Authenticator, routesOf, type Surface } from './surfaces.js'

/** A surface like that of a webhook: the caller has signed the bytes of the body. */
const hooks: Surface = {
  name: 'v1',
  prefix: '/hooks',
  organization: 'caller',
  permissions: new Set(PERMISSIONS),
  answers: [403, 422],
  docs: { tag: 'hooks', description: 'Signed bodies.', security: [] },
}
const SECRET = 'a secret of both sides'
const sign = (body: string | Buffer): string => createHmac('sha256', SECRET).update(body).digest('hex')

let held: Permission[]
let handled: unknown[]
let authenticated: number
const authenticator: Authenticator = {
  reads: 'body',
  async authenticate({ headers }, _permission, body) {
    authenticated += 1
    const given = Buffer.from(String(headers['x-signature'] ?? ''))
    const wanted = Buffer.from(sign(body!))
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new ApiError('signature_invalid')
    return {
      principal: { organizationId: 'org_1', actor: { type: 'key', id: 'hook' }, permissions: new Set(held) },
      snapshot: {
        cacheOf: () => ({ getOrLoad: (_key, load) => load() }),
        audienceRevision: () => ({ epoch: '', revision: 0 }),
      },
    }
  },
}

const receive = operation({
  operationId: 'receive',
  summary: 'Receive.',
  description: 'Receive.',
  route: 'POST /messages',
  surfaces: ['v1'],
  permission: 'audience:write',
  answers: [200],
  body: Joi.object<{ text: string }, true>({ text: Joi.string().required() }),
  success: Joi.object(),
  async handle({ body, principal }) {
    handled.push({ ...body, organizationId: principal.organizationId })
    return ok({})
  },
})
const verify = operation({
  operationId: 'verify',
  summary: 'Verify.',
  description: 'Verify.',
  route: 'GET /messages',
  surfaces: ['v1'],
  permission: 'audience:read',
  answers: [200],
  success: Joi.object(),
  handle: async () => ok({}),
})

async function start(operations: Operation<Context>[]): Promise<FastifyInstance> {
  const { context } = await startTestApp()
  const app = fastify({ routerOptions: { querystringParser: (text) => text as unknown as Record<string, unknown> } })
  app.setErrorHandler((error, _request, reply) => {
    const answered = toApiError(error)
    return reply.code(answered.status).header('x-error-code', answered.code).send(toErrorBody(answered))
  })
  app.decorateRequest('state', undefined)
  addBodyParsers(app, new HeldBodies())
  mount(app, context, operations, { surface: hooks, authenticator, checkAnswers: true })
  return app
}

beforeEach(() => {
  held = [...PERMISSIONS]
  handled = []
  authenticated = 0
})

describe('a surface whose callers sign the body', () => {
  const post = async (app: FastifyInstance, body: string | Buffer, signature = sign(body)) => {
    const headers = { 'content-type': 'application/json', 'x-signature': signature }
    const response = await app.inject({ method: 'POST', url: '/hooks/messages', headers, payload: body })
    return [response.statusCode, response.headers['x-error-code']]
  }

  test('admits a caller who signed exactly these bytes, once, whatever characters they contain', async () => {
    const app = await start([receive])
    const body = '{ "text" : "Grüße 🎉" }'
    expect(await post(app, body)).toEqual([200, undefined])
    expect(handled).toEqual([{ text: 'Grüße 🎉', organizationId: 'org_1' }])
    expect(authenticated).toBe(1)
  })

  test('refuses a body that was changed on its way before it is parsed', async () => {
    const app = await start([receive])
    expect(await post(app, '{"text":"b"}', sign('{"text":"a"}'))).toEqual([403, 'signature_invalid'])
    expect(await post(app, 'no JSON', sign('x'))).toEqual([403, 'signature_invalid'])
    expect(await post(app, Buffer.from([0x7b, 0xff, 0x7d]), sign('x'))).toEqual([403, 'signature_invalid'])
    expect(await post(app, 'no JSON')).toEqual([400, 'body_malformed'])
    expect(await post(app, '{"text":1}')).toEqual([422, 'validation_failed'])
    expect(handled).toEqual([])
  })

  test('needs no signature for a request without a body', async () => {
    const app = await start([receive, verify])
    const get = async (signature: string) =>
      (await app.inject({ method: 'GET', url: '/hooks/messages', headers: { 'x-signature': signature } })).statusCode
    expect([await get(sign('')), await get(sign('x')), await get('')]).toEqual([200, 403, 403])
    const empty = await app.inject({ method: 'POST', url: '/hooks/messages', headers: { 'x-signature': sign('') } })
    expect([empty.statusCode, empty.headers['x-error-code']]).toEqual([400, 'body_malformed'])
  })

  test('refuses a caller without the permission, with its name, after the shape', async () => {
    const app = await start([receive])
    held = ['audience:read']
    expect(await post(app, '{"text":1}')).toEqual([422, 'validation_failed'])
    expect(await post(app, '{"text":"a"}')).toEqual([403, 'permission_missing'])
    expect(handled).toEqual([])
  })
})

test('a surface offers the operations that name it, with their path, operationId, parameters and statuses', () => {
  const shared: Operation<Context> = { ...verify, surfaces: ['v1', 'api'] }
  const operator: Surface = { ...hooks, name: 'api', prefix: '/o', organization: 'path', answers: [401] }
  expect(routesOf({ ...operator, name: 'v0' }, [shared])).toEqual([])
  const [route] = routesOf(operator, [shared])
  expect(route).toMatchObject({
    operationId: 'verifyOrganization',
    path: '/o/organizations/{organizationId}/messages',
    answers: [200, 304, 401],
    isOpen: true,
  })
  expect(route?.params?.describe().keys).toHaveProperty('organizationId')
  const [closed] = routesOf({ ...operator, permissions: new Set() }, [shared])
  expect([closed?.isOpen, closed?.answers]).toEqual([false, [304, 401]])
})
