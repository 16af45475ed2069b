import { FAILED_MAX } from '../interface/revision.ts'
import type { words as english } from './shell.words.ts'
import { common } from './words.ts'

const { count, number } = common

export const words: typeof english = {
  skip: 'Ir al contenido',
  connectionLost: 'Greenroom no responde. Lo que ves puede ser antiguo; lo intenta de nuevo por sí solo.',
  connectionBack: 'Greenroom vuelve a responder.',
  notFoundTitle: 'Página no encontrada',
  notFound: 'No hay ninguna página en esta dirección. Puede haberse movido, o la dirección está mal escrita.',
  toStart: 'Ir a la página de inicio',
  crashedTitle: 'Esta página ha dejado de funcionar',
  inactive: 'Esta organización está inactiva: sus claves se rechazan y no se publica ninguna de sus publicaciones.',
  newVersionTitle: 'Hay una versión nueva',
  notLoadedTitle: 'Esta página no se ha cargado',
  newVersion: 'Hay una versión nueva de Greenroom. Recarga la página para continuar; lo que has escrito se conserva.',
  notLoaded: 'No se ha podido cargar esta página. Comprueba tu conexión.',
  reload: 'Recargar',
  crashed: 'Cárgala de nuevo. Si vuelve a fallar, cuenta a tu administrador qué hiciste.',
  nav: {
    label: 'Principal',
    inbox: 'Bandeja de entrada',
    approvals: 'Aprobaciones',
    calendar: 'Calendario',
    audience: 'Audiencia',
    insights: 'Resultados',
    activity: 'Actividad',
    settings: 'Ajustes',
    newPost: 'Nueva publicación',
    many: (many) => number(many),
    long: {
      waiting: (many) => (many === 1 ? '1 espera' : `${number(many)} esperan`),
      unread: (many) => `${number(many)} sin leer`,
    },
    organization: 'Organización',
    organizations: 'Organizaciones',
    inactive: 'inactiva',
    account: 'Cuenta',
    signOut: 'Cerrar sesión',
    signOutEverywhere: 'Cerrar sesión en todos los dispositivos',
    changePassword: 'Cambiar la contraseña',
    keys: 'Atajos de teclado',
    times: (zone) => `Las horas son de ${zone}`,
    ownTimes: (own, organization) =>
      `Las horas son de ${own}, tu propia zona; la de la organización es ${organization}`,
  },
  failures: {
    posts: (many) =>
      many >= FAILED_MAX
        ? `${number(many)} publicaciones o más no se han publicado.`
        : many === 1
          ? '1 publicación no se ha publicado.'
          : `${number(many)} publicaciones no se han publicado.`,
    seePosts: 'Ver por qué',
    tokens: (many) => `La plataforma rechaza ${count(many, 'token')} de acceso: allí no se publica ni se lee nada.`,
    seeTokens: (mayConnect) => (mayConnect ? 'Conectar de nuevo' : 'Ver cuáles'),
  },
  password: {
    title: 'Cambiar la contraseña',
    present: 'Contraseña actual',
    next: 'Contraseña nueva',
    submit: 'Cambiar la contraseña',
    done: 'Tu contraseña ha cambiado. Se ha cerrado tu sesión en los demás dispositivos.',
  },
  keys: {
    title: 'Atajos de teclado',
    on: 'Las teclas sueltas funcionan en este dispositivo',
    next: 'Publicación siguiente',
    previous: 'Publicación anterior',
    approve: 'Aprobar',
    return: 'Devolver con notas',
    select: 'Seleccionar la publicación o quitarla, para decidir sobre varias a la vez',
    undo: 'Deshacer la última decisión',
    calendar:
      'En el calendario: las flechas cambian de día, Re Pág y Av Pág cambian de mes, Intro abre, M mueve una publicación',
  },
}
