import './channel-lists.test.js'
