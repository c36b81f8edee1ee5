"""What the apps on loopback share: a party's room, and Trent's page.

loopback   makes an app safe against other pages, other programs and other users of the machine
pages      templates, which escape everything
serving    a server on a loopback socket, and the browser

templates/base.html and static/ hold the one design of all pages
"""
