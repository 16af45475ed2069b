/** Measures how much longer a page takes after one row of the channel has changed. */
import { median, printTable } from '../shared.js'
import { changeRows, getPage, pathOf, type Service, timeOf } from './service.js'
import { judge, QUICK } from './shared.js'

export const CHANGED_ROW = 'page after one changed row'

/** Pairs of a page after one changed row and a page after none. */
const CHANGED_ROW_PAIRS = QUICK ? 30 : 200

export async function measureChangedRow(service: Service): Promise<void> {
  const { name, data } = service
  const path = pathOf(data, 'scope=all')
  const [changed, unchanged]: [number[], number[]] = [[], []]
  await getPage(service, path)
  for (let pair = 0; pair < CHANGED_ROW_PAIRS; pair++) {
    await changeRows(service, 1)
    changed.push(await timeOf(() => getPage(service, path)))
    unchanged.push(await timeOf(() => getPage(service, path)))
  }
  printTable([
    [`${name}: full 50, one request at a time, medians of ${CHANGED_ROW_PAIRS}`, 'ms'],
    ['after one changed row', median(changed).toFixed(2)],
    ['after none', median(unchanged).toFixed(2)],
  ])
  judge(
    `page after one changed row over one after none (Greenroom, ${name})`,
    median(changed) - median(unchanged),
    { most: 1 },
    ' ms',
  )
}
