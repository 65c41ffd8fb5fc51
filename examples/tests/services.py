"""A filter and an account service that allow everything: python3 services.py HOST:PORT"""

import sys
from concurrent.futures import ThreadPoolExecutor

import grpc
import riposte_sdk.account.v1
import riposte_sdk.filter.v1

accounts, filters = riposte_sdk.account.v1, riposte_sdk.filter.v1


class Filter(filters.FilterServiceServicer):
    def CheckContents(self, request, context):
        allowed = {"outcome": filters.FILTER_OUTCOME_ALLOW, "provider": "test", "model_version": "1"}
        verdicts = [filters.ContentVerdict(key=item.key, **allowed) for item in request.items]
        return filters.CheckContentsResponse(verdicts=verdicts)


class Accounts(accounts.AccountServiceServicer):
    def BatchGetStandings(self, request, context):
        normal = {"exists": True, "level": 1, "state": accounts.ACCOUNT_STATE_NORMAL, "report_weight": 100}
        standings = [accounts.AccountStanding(member_id=id, **normal) for id in request.member_ids]
        return accounts.BatchGetStandingsResponse(standings=standings)


server = grpc.server(ThreadPoolExecutor(8))
filters.add_FilterServiceServicer_to_server(Filter(), server)
accounts.add_AccountServiceServicer_to_server(Accounts(), server)
server.add_insecure_port(sys.argv[1])
server.start()
server.wait_for_termination()
