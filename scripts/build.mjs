// `npm run build`: the server, the types of the client, the two pages and the empty database of a first start, side by side.
import { buildCluster, buildPages, buildServer, buildTypes, sayBuildError } from './building.mjs'

await Promise.all([buildServer(), buildTypes(), buildPages(), buildCluster()]).catch(sayBuildError)
