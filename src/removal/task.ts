import { listOrganizationRows, type OrganizationPosition } from '../access/organizations.store.js'
import { recordAudit } from '../audit/audit.store.js'
import type { Deleted, RowBudget } from '../database/batches.js'
import type { Queryable } from '../database/database.js'
import type { Context } from '../http/context.js'
import type { Actor } from '../http/principal.js'

/** The parts of the process's context that retention uses. */
export type RetentionContext = Pick<Context, 'clock' | 'config' | 'database' | 'log'>

/** The actor of removals, because the operator sets the retention. */
export const BY_SETTINGS: Actor = { type: 'operator' }

/** Removes data older than `before` in batches, as far as the budget allows. A stop sets the budget to 0. */
export type Task = (context: RetentionContext, before: Date, budget: RowBudget) => Promise<Deleted>

/** Records in the organization's audit trail what a task removed. */
export const recordRemoval = (
  tx: Queryable,
  organizationId: string,
  at: Date,
  { operation, changes }: Pick<Parameters<typeof recordAudit>[1], 'operation' | 'changes'>,
): Promise<void> =>
  recordAudit(tx, {
    ...{ principal: { organizationId, actor: BY_SETTINGS }, at, operation, changes },
    target: { type: 'organization', id: organizationId },
  })

const ORGANIZATIONS_AT_ONCE = 100

/** Yields the ids of all organizations, including inactive ones but not those being deleted. */
export async function* eachOrganization(database: Queryable): AsyncGenerator<string> {
  for (let after: OrganizationPosition | undefined; ; ) {
    const { organizations, next } = await listOrganizationRows(database, { after, rows: ORGANIZATIONS_AT_ONCE })
    for (const { organization_id } of organizations) yield organization_id
    if (next === undefined) return
    after = next
  }
}
