import type { Queryable } from '../../database/database.js'
import { hitsRow } from '../../database/queries.js'

export interface SignInPlace {
  browser: string
  network: string
}

/**
 * Notes that the person, who is locked, has signed in from the place. `known`: it was noted before; `first`: no
 * place was. Past `max` places the one that was used the longest ago is forgotten.
 */
export async function notePlace(
  tx: Queryable,
  personId: string,
  { browser, network }: SignInPlace,
  { at, max }: { at: Date; max: number },
): Promise<'known' | 'first' | 'new'> {
  const isKnown = await hitsRow(
    tx,
    'update sign_in_places set last_at = $4 where person_id = $1 and browser = $2 and network = $3',
    [personId, browser, network, at],
  )
  if (isKnown) return 'known'
  const isFirst = !(await hitsRow(tx, 'select from sign_in_places where person_id = $1 limit 1', [personId]))
  await tx.query(
    `delete from sign_in_places
      where person_id = $1
        and (browser, network) in (select browser, network from sign_in_places where person_id = $1
                                    order by last_at desc, browser, network offset $2)`,
    [personId, max - 1],
  )
  await tx.query('insert into sign_in_places (person_id, browser, network, last_at) values ($1, $2, $3, $4)', [
    personId,
    browser,
    network,
    at,
  ])
  return isFirst ? 'first' : 'new'
}
