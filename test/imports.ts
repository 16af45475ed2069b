import { operatorCall, type Reply, Tenant, type TestApp } from './harness.js'

export const NDJSON = 'application/x-ndjson'
export const CSV = 'text/csv; charset=utf-8'

/** Returns a line of an import. */
export const line = (id: string, fields: object = {}) => ({ conversationId: id, cuid: `u-${id}`, ...fields })

export const toNdjson = (lines: (object | string)[]): string =>
  lines.map((item) => `${typeof item === 'string' ? item : JSON.stringify(item)}\n`).join('')

/** A channel in a VIP workspace of its own tenant, and imports into it. */
export class ImportChannel {
  private constructor(
    private readonly app: TestApp,
    readonly tenant: Tenant,
    readonly workspaceId: string,
    /** A test may switch to another channel of the workspace. */
    public channelId: string,
  ) {}

  static async create(app: TestApp): Promise<ImportChannel> {
    const tenant = await Tenant.create(app)
    const workspaceId = await tenant.workspace('VIP')
    return new ImportChannel(app, tenant, workspaceId, await tenant.channel([workspaceId]))
  }

  /** Returns the path below the operator's prefix. */
  path(query = '', channelId = this.channelId): string {
    return `/organizations/${this.tenant.organizationId}/channels/${channelId}/conversations${query}`
  }

  send(
    status: number,
    type: string,
    body: string | Buffer,
    query = `?workspaceId=${this.workspaceId}`,
  ): Promise<Reply> {
    return operatorCall(this.app, status, 'POST', this.path(query), { body, headers: { 'content-type': type } })
  }

  sendLines(...lines: (object | string)[]): Promise<Reply> {
    return this.send(200, NDJSON, toNdjson(lines))
  }
}
