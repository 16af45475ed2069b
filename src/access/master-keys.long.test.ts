import './master-keys.test.js'
