import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import type { Config } from '../config/index.js'
import { reach } from '../graph/reachability.js'
import { reachableUrl } from '../lib/addresses.js'
import { findListenFault } from '../serve.js'
import { type Examined, type Finding, type Findings, findingsOf, orFine } from './finding.js'

const { ok, problem } = findingsOf('port')

interface Place {
  variables: string
  host: string
  port: number
}

/** Tries for a moment to listen where the service is configured to. */
export function checkListening({ config }: Examined): Findings {
  const { host, port } = config.http
  const { address } = config.metrics
  const places: Place[] = [
    { variables: 'HOST and PORT', host, port },
    ...(address === undefined ? [] : [{ variables: 'METRICS_ADDRESS', ...address }]),
  ]
  const fine = ok(`${places.map(({ variables }) => variables).join(' and ')} can be listened on.`)
  return orFine(findRefusals(places, config), fine)
}

async function* findRefusals(places: readonly Place[], config: Config): Findings {
  const taken: Server[] = []
  for (const place of places) {
    // A caller that connects in the meantime must not keep the server from closing.
    const server = createServer((socket) => socket.destroy())
    try {
      // The service listens on both at once.
      await once(server.listen({ host: place.host, port: place.port, exclusive: true }), 'listening')
      taken.push(server)
    } catch (error) {
      yield await refused(place, error, config)
    }
  }
  for (const server of taken) await new Promise((closed) => server.close(closed))
}

async function refused({ variables, host, port }: Place, error: unknown, config: Config): Promise<Finding> {
  const url = reachableUrl(host, port)
  const answer = await reach(`${url}/healthz`).catch(() => undefined)
  if (answer?.isGreenroom) return ok(`A Greenroom service already answers at ${variables} (${url}).`)
  const { finding, remedy } = findListenFault(error, config) ?? { finding: (error as Error).message, remedy: '' }
  return remedy === ''
    ? problem(`${finding}.`, `Set ${variables} to an address on which the service may listen.`)
    : problem(`${finding}.`, `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`)
}
