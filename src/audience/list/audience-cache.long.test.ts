import './audience-cache.test.js'
