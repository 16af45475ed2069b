import { common } from '../words.ts'
import type { words as english } from './server.words.ts'

const { count, number } = common

const GB = 1_000_000_000

const size = (bytes: number): string => `${number(Math.floor((bytes / GB) * 10) / 10)} GB`

export const words: typeof english = {
  health: 'Estado',
  states: { good: 'Bien', warning: 'Revíselo', bad: 'Mal', off: 'Sin configurar' },
  database: 'Base de datos',
  databaseOf: {
    pglite: 'Responde. Es una parte de Greenroom, en el directorio de datos.',
    postgres: 'Responde. Es un PostgreSQL.',
  },
  parts: {
    publisher: 'Publicación',
    intake: 'Entregas de tiendas y aplicaciones',
    mail: 'Correos',
    media: 'Imágenes y vídeos',
    platform: 'API de Meta',
  },
  publisher: {
    on_time: 'Las publicaciones salen a su hora.',
    late: 'Una publicación espera más de lo debido. Consulte el registro del servidor.',
    stopped: 'Ningún proceso publica: inicie uno con esa función.',
  },
  intake: {
    on_time: () => 'Todas las entregas están aplicadas.',
    late: (many) => `${count(many, 'entrega')} en espera: ¿funciona el servidor que las aplica?`,
    problems: (many) =>
      `${count(many, 'elemento')} sin aplicar. Están en los ajustes de cada organización, en Fuentes.`,
    unused: () => 'Ninguna organización tiene una fuente.',
  },
  mail: {
    on_time: () => 'Los correos se envían.',
    late: (many) => `${count(many, 'correo')} en espera, y ningún proceso los envía.`,
    failing: (many) =>
      `${count(many, 'correo')} sin enviar; se intentará otra vez. «greenroom doctor» prueba el servidor de correo.`,
    off: () => 'Nadie recibe correos, y quien olvida su contraseña necesita un enlace de usted. SMTP_URL lo cambia.',
  },
  media: {
    on: 'Se pueden subir archivos.',
    off: 'No se pueden subir archivos. MEDIA_DIR lo cambia.',
  },
  platform: {
    supported: (version) => `Se usa ${version}.`,
    ending: (version, day) => `${version} termina el ${day}.`,
    ended: (version, day) => `${version} terminó el ${day}.`,
    unannounced: (version) => `Aquí no se sabe cuándo termina ${version}.`,
    newer: (version) => `${version} es más nueva que la tabla de versiones.`,
    unknown: (version) => `${version} no está en la tabla de versiones.`,
  },
  newVersion: (newest) => `Actualice Greenroom${newest ? ` o configure GRAPH_VERSION=${newest}` : ''}.`,
  disks: {
    data: 'Disco de los datos',
    media: 'Disco de imágenes y vídeos',
    backups: 'Disco de las copias de seguridad',
    'audit-exports': 'Disco de la actividad exportada',
  },
  disk: {
    room: (free, all) => `Hay ${size(free)} libres de ${size(all)}.`,
    low: (free, all) => `Solo hay ${size(free)} libres de ${size(all)}: haga sitio.`,
    full: () => 'Está lleno y no se puede escribir nada en él: haga sitio ahora.',
    silent: () => 'No responde. ¿Está conectado?',
  },
  since: (distance) => `Lo más antiguo debía hacerse ${distance}.`,

  lastBackup: 'Última copia de seguridad',
  noBackup: 'Todavía ninguna',
  madeAt: (time, distance) => `${time} (${distance})`,
  backupFile: (file, place) => (place === undefined ? file : `${file} en ${place}`),
  fetched: 'descargada por un programa como «greenroom backup»: aquí no se sabe dónde se guarda',
  sameDisk: 'en el mismo disco que los datos: configure BACKUP_DIR en otro disco o en un bucket',
  withoutKey: 'sin la clave maestra: guárdela aparte',
  missingMedia: (many) => (many === 1 ? 'falta 1 archivo' : `faltan ${count(many, 'archivo')}`),
  backup: {
    made: 'El servidor hace copias de seguridad por sí mismo.',
    late: 'La última copia es más antigua de lo debido. Consulte el registro del servidor.',
    incomplete: 'A la última copia le faltan imágenes o vídeos. ¿Está MEDIA_DIR donde se hacen las copias?',
    unusable: 'No se puede escribir nada en el lugar de las copias. Consulte el registro del servidor.',
    none: 'La primera se hace poco después del inicio. Si tras una hora no hay ninguna, consulte el registro del servidor.',
    making: 'La primera se está haciendo.',
    fetched: 'Un programa descarga las copias.',
    off: 'El servidor no hace copias por sí mismo, y en dos días no se ha descargado ninguna: configure BACKUP_DIR, o ejecute «greenroom backup» cada día.',
  },

  masterKey: 'Clave maestra',
  masterKeyHint: 'Sella los secretos de la base de datos. Su identificador no revela nada de la clave.',
  otherSecrets: (many) =>
    many === 0
      ? 'Todos los secretos están sellados con esta clave.'
      : `${count(many, 'secreto')} con otra clave: una rotación no ha terminado, o ya no se pueden abrir.`,
  lostSecrets: (many) =>
    `${count(many, 'secreto')} con una clave que no está aquí: configúrela en MASTER_KEY_PREVIOUS, o vuelva a conectar los canales y las cuentas publicitarias.`,
  rotate: 'Rotar',
  goOn: 'Seguir rotando',
  rotateTitle: '¿Rotar la clave maestra?',
  rotateText:
    'Cada secreto se sella con una clave nueva mientras el servidor funciona. Donde MASTER_KEY está configurada, inicie antes el servidor con la nueva y con MASTER_KEY_PREVIOUS.',
  rotated: (resealed, unopened) =>
    unopened === 0
      ? `La clave maestra está rotada: ${count(resealed, 'secreto')} con sello nuevo.`
      : `La clave maestra está rotada: ${count(resealed, 'secreto')} con sello nuevo, y ${number(unopened)} que no abre ninguna de las dos claves. El registro del servidor los nombra.`,

  lastSignIns: 'Últimos inicios de sesión',
  noSignIns: 'Todavía no ha iniciado sesión nadie.',
  signedIn: (time, browser, network) => `${time} · ${browser} · desde ${network}`,
}
